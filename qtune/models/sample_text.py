"""What the sample model says, and the words its tokenizer knows as whole tokens."""

from __future__ import annotations

from typing import Final

PARTS: Final[tuple[str, ...]] = (
    (
        "This is a sample model. It was made on your own machine a moment ago, and it knows nothing about "
        "the world. It walks through a fixed text, one word after another, and it does so with the full "
        "arithmetic of a real network. Every matrix is read from memory, every product is computed, and "
        "every draft is checked. Only the meaning is missing. Please do not judge your graphics card by "
        "what you see here: the speed of a sample says nothing about it."
    ),
    (
        "Let us look at the figures one by one. The first number is the time to the first token. It starts "
        "when the request leaves and ends when the first visible piece of an answer arrives. During this "
        "pause the server reads the prompt. Long prompts need more patience than short ones, because each "
        "word of the question has to be understood before anything can be written."
    ),
    (
        "The second number is decode speed. Once writing has begun, tokens arrive in a steady stream, and "
        "we count how many come per second. A person reads about five words in that time. If the stream is "
        "faster, you will hardly wait; if it is slower, you watch the letters appear and begin to think "
        "about tea."
    ),
    (
        "Why is decoding slow at all? For each new token the whole model must travel from memory to the "
        "processor. The arithmetic itself is cheap. Moving twenty gigabytes again and again is expensive. "
        "Engineers therefore ask a clever question: could several tokens share a single trip? Normally they "
        "cannot, since the next word depends on the previous one. But a guess may help."
    ),
    (
        "Here the small head enters. Multi-token prediction adds one light block to the network. It looks "
        "at the latest state, guesses what might follow, and then guesses once more from its own guess. "
        "After that, the large model checks all proposals together, in a single pass. Right guesses are "
        "kept. Wrong guesses are thrown away, and the correct word takes their place. Nothing in the final "
        "text changes; only the waiting does."
    ),
    (
        "Acceptance tells you how good these guesses are. In this sample roughly three out of four first "
        "guesses survive. Farther positions do worse, because a chain breaks at its weakest link. When "
        "acceptance is high, longer drafts pay off. When it is low, each extra guess costs work that nobody "
        "uses, and the gain melts like snow in spring."
    ),
    (
        "So there is a best length. With no drafts you pay full price for each token. With one or two "
        "drafts, most trips carry a passenger more. At six or eight, the bus is crowded with people who "
        "must leave at the next stop. The curve rises, bends and falls. Finding its top is exactly what the "
        "search on this page will do for you, and it needs only a few minutes."
    ),
    (
        "Noise deserves respect. Run the same test twice and two different values appear, for computers "
        "share their time with mail, music and updates. That is why every arm is measured repeatedly, why "
        "arms take turns, and why results come with an interval. If two intervals overlap widely, honest "
        "people say: no difference. It is a useful result as well."
    ),
    (
        "Memory is another limit. Weights come first, then the cache, which grows with context. Sixteen "
        "thousand tokens of history occupy twice as much room as eight thousand. The prediction head needs "
        "its own little cache too. When a card runs out of space, some drivers quietly borrow from the main "
        "memory, and speed drops off a cliff. Keep a reserve and you will sleep better."
    ),
    (
        "Perhaps you wonder about heat. A board that works hard gets warm, and a warm board may lower its "
        "clock. Good measurements therefore watch temperature and power beside the speed. One quick burst "
        "looks impressive; ten calm minutes tell the truth. Judge a setting by how it behaves late in the "
        "day, not by its very first sprint."
    ),
    (
        "What should you try next? Choose a real model that carries a prediction head. Load it with the "
        "balanced preset, press the button, and let the machine work. Afterwards compare three things: the "
        "total time of a request, the delay before it starts, and the memory that stays free. If all of "
        "them look fine, save this setting as your own. If something fails, roll back one step. There is "
        "always a way home."
    ),
    (
        "A few words about honesty. Benchmarks tempt us to choose the prettiest run, the friendliest prompt "
        "or the shortest context. Resist. Take ordinary questions from your daily work: a summary, a "
        "letter, some code, a table of facts. Code usually repeats itself, therefore drafts succeed more "
        "often there. Poetry surprises, so they fail. Mixed workloads lie somewhere in the middle, and your "
        "own habits decide where."
    ),
    (
        "Also mind the first request after loading. Files are still being pulled from disk, buffers have "
        "just been created, clocks have not settled yet. Such warm-up rounds are run but never counted. "
        "Later requests must not reuse an old prefix either, otherwise the prompt looks faster than it is. "
        "Our tool switches that reuse off, or says plainly how many tokens came from storage."
    ),
    (
        "Remember, finally, that a record beats a feeling. Write down which prompt was used, which version "
        "answered, and which options were active. Change just one thing at once. Repeat until the pattern "
        "is clear. Small habits like these turn guessing into knowledge, and they cost almost nothing. "
        "Thank you for reading a sample so patiently; its story ends here."
    ),
)
"""The answer as paragraphs. The model walks through them in this order and then ends the turn."""

START_PARTS: Final[int] = 4
"""Answers begin at one of the first so many paragraphs, so that at least 500 tokens remain."""

KNOWN_TEXT: Final[str] = (
    "Explain in plain words how to read the speed figures of a language model, and why a guess can save "
    "time. user assistant system You are a helpful assistant. Answer briefly and clearly. Write a short "
    "story about an old lighthouse keeper and a storm. Summarize the following text in three sentences. "
    "Give me ten bullet points, each with one reason. Return only valid JSON with the keys name and value. "
    "Compare these two options for a small team. Translate this sentence into English. Describe step by "
    "step what happens when a computer starts. List the main differences between the two approaches. Write "
    "a Python function that returns the sum of a list of numbers. Continue the paragraph in the same tone. "
    "Use simple language, no more than five lines. I my he she his her him we our they them who whom whose "
    "where when how which while would should could might shall been being had did does done went gone made "
    "make makes said says see seen saw take took taken give gave given find found know known think thought "
    "come came get got want need help work play run move live turn show hear feel keep begin seem leave "
    "call ask tell put bring hold write read learn grow open close start stop end good bad new old young "
    "big small long short high low early late great little own other same different few many much such each "
    "both all any some none more most less least first last next then now here there again always never "
    "often soon still just only very too also even not and or but if because although after before during "
    "between under over through against without within along across behind beyond near above below up down "
    "in out on off at by for from to with into onto of year month week day hour minute second morning "
    "evening night today tomorrow yesterday man woman child people friend family house home room door "
    "window street city town country river sea water fire earth air light dark sun moon star tree garden "
    "animal dog cat bird fish horse hand head heart eye face voice word line page book story letter paper "
    "school teacher student question answer idea problem reason result fact case point part place side way "
    "thing world life death war peace law money market company office machine system program data file code "
    "test server memory number value table list name key type class function"
)
"""More text to train the tokenizer on, so that ordinary short prompts stay short in tokens."""

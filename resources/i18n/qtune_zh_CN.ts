<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AccessField</name>
    <message>
        <source>Copy the address</source>
        <translation>复制地址</translation>
    </message>
    <message>
        <source>Copy the API key</source>
        <translation>复制 API 密钥</translation>
    </message>
    <message>
        <source>{url} speaks the OpenAI API; give the key to programs that use it.</source>
        <translation>{url} 提供 OpenAI API；使用它的程序需要填入密钥。</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Address · up {minutes} min</source>
        <translation>地址 · 已运行 {minutes} 分钟</translation>
    </message>
    <message>
        <source>Address · up {hours} h {minutes} min</source>
        <translation>地址 · 已运行 {hours} 小时 {minutes} 分钟</translation>
    </message>
    <message>
        <source>Address copied</source>
        <translation>地址已复制</translation>
    </message>
    <message>
        <source>Key copied</source>
        <translation>密钥已复制</translation>
    </message>
</context>
<context>
    <name>AnswerView</name>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Answer of the model</source>
        <translation>模型的回答</translation>
    </message>
    <message>
        <source>The model's answer appears here while it is measured.</source>
        <translation>测量时，模型的回答会显示在这里。</translation>
    </message>
    <message>
        <source>request {number}</source>
        <translation>第 {number} 个请求</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Notice</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>ChangeWatch</name>
    <message>
        <source>Look at the history</source>
        <translation>查看历史记录</translation>
    </message>
</context>
<context>
    <name>Chart</name>
    <message>
        <source>Show everything again (double-click)</source>
        <translation>重新显示全部（双击）</translation>
    </message>
    <message>
        <source>Chart menu: copy or save as a picture</source>
        <translation>图表菜单：复制或保存为图片</translation>
    </message>
</context>
<context>
    <name>ChartMenu</name>
    <message>
        <source>Show everything again</source>
        <translation>重新显示全部</translation>
    </message>
    <message>
        <source>Let the charts run on</source>
        <translation>继续刷新图表</translation>
    </message>
    <message>
        <source>Hold the charts still</source>
        <translation>暂停图表</translation>
    </message>
    <message>
        <source>Copy as a picture</source>
        <translation>复制为图片</translation>
    </message>
    <message>
        <source>Save as PNG…</source>
        <translation>保存为 PNG…</translation>
    </message>
    <message>
        <source>Save as SVG…</source>
        <translation>保存为 SVG…</translation>
    </message>
    <message>
        <source>Pictures on a light ground</source>
        <translation>图片使用浅色背景</translation>
    </message>
    <message>
        <source>Save the chart</source>
        <translation>保存图表</translation>
    </message>
    <message>
        <source>The picture could not be saved to {path}: {reason}.</source>
        <translation>无法将图片保存到 {path}：{reason}。</translation>
    </message>
</context>
<context>
    <name>ComparisonCharts</name>
    <message>
        <source>Median by text and start, then the geometric mean over the texts. Whiskers with ends are the 95 % interval of the measuring noise; dotted ones are only the smallest and largest request: too little was measured for an interval.</source>
        <translation>按文本和启动取中位数，再对各文本取几何平均。带端线的须线是测量噪声的 95 % 区间；点状须线只是最小和最大的请求：测量太少，得不出区间。</translation>
    </message>
    <message>
        <source>side</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>Decode, tok/s</source>
        <translation>解码，tok/s</translation>
    </message>
    <message>
        <source>First token, ms</source>
        <translation>首个 token，ms</translation>
    </message>
    <message>
        <source>Whole request, s</source>
        <translation>整个请求，s</translation>
    </message>
    <message>
        <source>Highest reading: of the card, or of the engine where there is no card.</source>
        <translation>最高读数：显卡的；没有显卡时为引擎的。</translation>
    </message>
    <message>
        <source>Peak memory, GiB</source>
        <translation>内存峰值，GiB</translation>
    </message>
    <message>
        <source>Energy of the card over the tokens of the answers, where it reports its power.</source>
        <translation>显卡能耗除以回答的 token 数（显卡报告功率时）。</translation>
    </message>
    <message>
        <source>Energy, J/token</source>
        <translation>能耗，J/token</translation>
    </message>
    <message>
        <source>seconds since the run began</source>
        <translation>运行开始后的秒数</translation>
    </message>
    <message>
        <source>Decode rate of each request that counts, at the moment it ended.</source>
        <translation>每个计入的请求在结束时的解码速度。</translation>
    </message>
    <message>
        <source>Decode over time, tok/s</source>
        <translation>解码速度随时间，tok/s</translation>
    </message>
    <message>
        <source>Memory in use over the run; dashed: what there is. Gaps: no reading.</source>
        <translation>运行期间占用的内存；虚线：总量。缺口：没有读数。</translation>
    </message>
    <message>
        <source>Memory over time, GiB</source>
        <translation>内存随时间，GiB</translation>
    </message>
    <message>
        <source>tokens of filled context</source>
        <translation>已填充的上下文 token 数</translation>
    </message>
    <message>
        <source>Decode rate with the context filled so far.</source>
        <translation>上下文填充到该处时的解码速度。</translation>
    </message>
    <message>
        <source>Decode by filled context, tok/s</source>
        <translation>解码速度随已填充上下文，tok/s</translation>
    </message>
    <message>
        <source>Time to the first token with the context filled so far.</source>
        <translation>上下文填充到该处时首个 token 的时间。</translation>
    </message>
    <message>
        <source>First token by filled context, s</source>
        <translation>首个 token 随已填充上下文，s</translation>
    </message>
</context>
<context>
    <name>ContextSpin</name>
    <message>
        <source>{short} or {long}</source>
        <translation>{short} 或 {long}</translation>
    </message>
</context>
<context>
    <name>CurveCard</name>
    <message>
        <source>Speed by filled context</source>
        <translation>随上下文填充的速度</translation>
    </message>
    <message>
        <source>The context was filled with prose to each depth, by the server's own count of tokens.</source>
        <translation>上下文用正文填充到各个深度，token 数以服务器的计数为准。</translation>
    </message>
    <message>
        <source>Decode, tok/s</source>
        <translation>解码，tok/s</translation>
    </message>
    <message>
        <source>Output tokens per second at each depth.</source>
        <translation>各深度下每秒输出的 token 数。</translation>
    </message>
    <message>
        <source>First token, s</source>
        <translation>首 token，秒</translation>
    </message>
    <message>
        <source>Seconds to the first token at each depth.</source>
        <translation>各深度下到首 token 的秒数。</translation>
    </message>
    <message>
        <source>Filled context, tokens</source>
        <translation>已填充的上下文（token）</translation>
    </message>
    <message>
        <source>Against the shallowest depth of this arm.</source>
        <translation>与该组最浅的深度相比。</translation>
    </message>
    <message>
        <source>Arm</source>
        <translation>组</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>深度</translation>
    </message>
    <message>
        <source>Filled</source>
        <translation>实际填充</translation>
    </message>
    <message>
        <source>Prompt tokens the server counted.</source>
        <translation>服务器计数的提示词 token 数。</translation>
    </message>
    <message>
        <source>Decode tok/s</source>
        <translation>解码 tok/s</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>首 token</translation>
    </message>
    <message>
        <source>Speed by draft length</source>
        <translation>不同草稿长度的速度</translation>
    </message>
    <message>
        <source>Hollow: trials, from which the best was picked. Filled: the best once more with fresh requests; the verdict rests on these. Dashed: Off.</source>
        <translation>空心：试测，从中选出最好的。实心：用新的请求再测一次最好的，结论以此为准。虚线：关闭。</translation>
    </message>
    <message>
        <source>Output tokens per second for each n_max.</source>
        <translation>每个 n_max 下每秒输出的 token 数。</translation>
    </message>
    <message>
        <source>Off: {rate}</source>
        <translation>关闭：{rate}</translation>
    </message>
    <message>
        <source>Trial tok/s</source>
        <translation>试测 tok/s</translation>
    </message>
    <message>
        <source>Median of its trials: enough to pick, not to conclude.</source>
        <translation>试测的中位数：足以挑选，不足以下结论。</translation>
    </message>
    <message>
        <source>Confirmed tok/s</source>
        <translation>复测 tok/s</translation>
    </message>
    <message>
        <source>Median of the fresh requests.</source>
        <translation>新请求的中位数。</translation>
    </message>
    <message>
        <source>vs Off</source>
        <translation>与“关闭”相比</translation>
    </message>
    <message>
        <source>Median against the median of Off, as far as measured.</source>
        <translation>中位数与“关闭”的中位数相比，以已测得的为限。</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>接受率</translation>
    </message>
    <message>
        <source>best</source>
        <translation>最佳</translation>
    </message>
</context>
<context>
    <name>DecodeChart</name>
    <message>
        <source>request {number}</source>
        <translation>第 {number} 个请求</translation>
    </message>
    <message>
        <source>≈ {rate} live</source>
        <translation>实时 ≈ {rate}</translation>
    </message>
    <message>
        <source>second {second} of streaming</source>
        <translation>输出第 {second} 秒</translation>
    </message>
</context>
<context>
    <name>DiagnosisCard</name>
    <message>
        <source>Diagnosis</source>
        <translation>诊断</translation>
    </message>
    <message>
        <source>What the presets promise</source>
        <translation>各预设的承诺</translation>
    </message>
    <message>
        <source>First: {advice}</source>
        <translation>建议：{advice}</translation>
    </message>
</context>
<context>
    <name>EmptyWords</name>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Reading the history…</source>
        <translation>正在读取历史…</translation>
    </message>
    <message>
        <source>Clear the filter to see all runs.</source>
        <translation>清除筛选即可看到全部运行。</translation>
    </message>
    <message>
        <source>No run matches the filter.</source>
        <translation>没有符合筛选的运行。</translation>
    </message>
    <message>
        <source>Clear the filter</source>
        <translation>清除筛选</translation>
    </message>
    <message>
        <source>They can be brought back: list them, select some, and choose Bring back.</source>
        <translation>它们可以恢复：列出后选择，再点“恢复”。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) were deleted; there is no other.</source>
        <translation>
            <numerusform>%Ln 次运行已被删除，没有其他运行。</numerusform>
        </translation>
    </message>
    <message>
        <source>List deleted runs</source>
        <translation>列出已删除的运行</translation>
    </message>
    <message>
        <source>Measure something on Tune, or import runs that qtune exported, or results of llama-bench.</source>
        <translation>在“调优”中测量，或导入 qtune 导出的运行或 llama-bench 的结果。</translation>
    </message>
    <message>
        <source>There is no run yet.</source>
        <translation>还没有运行。</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
</context>
<context>
    <name>FillCard</name>
    <message>
        <source>Filled context with {preset}</source>
        <translation>用“{preset}”填充上下文</translation>
    </message>
    <message>
        <source>Each context was filled with prose to 50, 75 and 92 %, by the server's own count of tokens, with a whole answer wanted each time.</source>
        <translation>按服务器自己的 token 计数，用散文把每个上下文填充到 50%、75% 和 92%，每次都要求完整回答。</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>填充</translation>
    </message>
    <message>
        <source>Share of the context that the prompt fills.</source>
        <translation>提示词占上下文的比例。</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>深度</translation>
    </message>
    <message>
        <source>Prompt tokens the server counted.</source>
        <translation>服务器统计的提示词 token 数。</translation>
    </message>
    <message>
        <source>Answered</source>
        <translation>已回答</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>Most memory in use from the request on.</source>
        <translation>从请求开始的最高内存占用。</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>What the card had left then.</source>
        <translation>当时显卡剩余的显存。</translation>
    </message>
    <message>
        <source>Decode tok/s</source>
        <translation>解码 tok/s</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>首 token</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>加载中</translation>
    </message>
    <message>
        <source>No context tried is known to be safe.</source>
        <translation>试过的上下文中没有已知安全的。</translation>
    </message>
    <message>
        <source>Largest safe context: {context}</source>
        <translation>最大安全上下文：{context}</translation>
    </message>
    <message>
        <source>{text}, {free} stay free</source>
        <translation>{text}，剩余 {free}</translation>
    </message>
    <message>
        <source>Use this context</source>
        <translation>使用此上下文</translation>
    </message>
</context>
<context>
    <name>FirstStart</name>
    <message>
        <source>Is MTP worth it on this machine?</source>
        <translation>在这台电脑上，MTP 值得开吗？</translation>
    </message>
    <message>
        <source>qtune starts llama-server with multi-token prediction (MTP) off and on, sends both the same prompt, and shows what you gain in speed and pay in memory and first-token delay.</source>
        <translation>qtune 会分别在关闭和开启多 token 预测（MTP）的情况下启动 llama-server，发送相同的提示词，并告诉您速度提升了多少、显存和首 token 延迟又付出了多少。</translation>
    </message>
    <message>
        <source>Use the bundled engine and the sample model</source>
        <translation>使用内置引擎和示例模型</translation>
    </message>
    <message>
        <source>Look for engines again, after you have installed one.</source>
        <translation>安装引擎之后重新查找。</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>Show the result</source>
        <translation>显示结果</translation>
    </message>
    <message>
        <source>Skip, go to the workplace</source>
        <translation>跳过，进入工作区</translation>
    </message>
    <message>
        <source>Everything can be chosen there, too.</source>
        <translation>在那里同样可以选择一切。</translation>
    </message>
    <message>
        <source>Settings brings this page back at any time.</source>
        <translation>随时可以从“设置”回到这一页。</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>First measurement</source>
        <translation>首次测量</translation>
    </message>
    <message>
        <source>Possible once the bundled engine is installed, see step 1.</source>
        <translation>安装内置引擎后即可使用，见第 1 步。</translation>
    </message>
    <message>
        <source>Needs no download and no graphics card. The sample is a small model made by qtune to try the whole way out; its speed says nothing about your card.</source>
        <translation>无需下载，也不需要显卡。示例是 qtune 生成的小模型，用来走通整个流程；它的速度不能说明您的显卡如何。</translation>
    </message>
    <message>
        <source>Looking for llama-server…</source>
        <translation>正在查找 llama-server…</translation>
    </message>
    <message>
        <source>No llama-server was found on this computer.</source>
        <translation>在这台电脑上没有找到 llama-server。</translation>
    </message>
    <message>
        <source>The bundled llama.cpp, {version}</source>
        <translation>内置的 llama.cpp，{version}</translation>
    </message>
    <message>
        <source>llama-server {version}, {path}</source>
        <translation>llama-server {version}，{path}</translation>
    </message>
    <message>
        <source>llama-server is part of llama.cpp: take a build for your system and card from {releases}, or your package manager's, and choose it here. Or install the bundled engine, which runs on the processor, with this command:</source>
        <translation>llama-server 是 llama.cpp 的一部分：从 {releases} 或软件包管理器获取适合你的系统和显卡的构建，然后在这里选择它。也可以用下面的命令安装在处理器上运行的内置引擎：</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>正在查找模型…</translation>
    </message>
    <message>
        <source>Models with an MTP head were found; take one or choose another file.</source>
        <translation>找到了带 MTP 头的模型；可以直接使用，也可以选择其他文件。</translation>
    </message>
    <message>
        <source>No model with an MTP head was found in the usual folders.</source>
        <translation>在常用文件夹中没有找到带 MTP 头的模型。</translation>
    </message>
    <message>
        <source>MTP needs a GGUF file that kept its MTP head, for example one of Qwen3.6-27B or Qwen3.6-35B-A3B. They are shared on model hubs such as Hugging Face, often with MTP in the name; many files leave the head out, and qtune tells which.</source>
        <translation>MTP 需要保留了 MTP 头的 GGUF 文件，例如 Qwen3.6-27B 或 Qwen3.6-35B-A3B 的文件。它们在 Hugging Face 等模型站点上分享，名称里常带有 MTP；许多文件去掉了 MTP 头，qtune 会告诉你是哪一种。</translation>
    </message>
    <message>
        <source>You can drop a GGUF file onto this window.</source>
        <translation>可以把 GGUF 文件拖到此窗口。</translation>
    </message>
    <message>
        <source>Possible as soon as there are an engine and a model.</source>
        <translation>有了引擎和模型即可进行。</translation>
    </message>
    <message>
        <source>Measured: {rate} without MTP.</source>
        <translation>已测量：不用 MTP 时 {rate}。</translation>
    </message>
    <message>
        <source>Only its speed without MTP can be measured.</source>
        <translation>只能测量它不用 MTP 时的速度。</translation>
    </message>
    <message>
        <source>Each preset is started once and asked the same: an indication of what MTP brings. {time}</source>
        <translation>每个预设启动一次，收到相同的提示词：初步看看 MTP 带来什么。{time}</translation>
    </message>
    <message>
        <source>Takes a minute or two with the sample model.</source>
        <translation>用示例模型需要一两分钟。</translation>
    </message>
    <message>
        <source>Takes about 4 minutes with a 27B model on a 24 GB card, longer without a card.</source>
        <translation>在 24 GB 显卡上测 27B 模型约需 4 分钟，没有显卡则更久。</translation>
    </message>
    <message>
        <source>Card: {cards}</source>
        <translation>显卡：{cards}</translation>
    </message>
    <message>
        <source>qtune works without one; the figures are then those of what the engine runs on.</source>
        <translation>没有它 qtune 也能工作；测得的就是引擎所用硬件的数值。</translation>
    </message>
    <message>
        <source>Use {model}</source>
        <translation>使用 {model}</translation>
    </message>
    <message numerus="yes">
        <source>Show all %n model(s)</source>
        <translation>
            <numerusform>显示全部 %n 个模型</numerusform>
        </translation>
    </message>
    <message>
        <source>Measure what MTP brings</source>
        <translation>测量 MTP 带来什么</translation>
    </message>
    <message>
        <source>Measure without MTP</source>
        <translation>不用 MTP 测量</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新查找</translation>
    </message>
    <message>
        <source>Choose llama-server…</source>
        <translation>选择 llama-server…</translation>
    </message>
    <message>
        <source>Choose a model…</source>
        <translation>选择模型…</translation>
    </message>
    <message>
        <source>Writing the sample model: {share}</source>
        <translation>正在写入示例模型：{share}</translation>
    </message>
</context>
<context>
    <name>HandOver</name>
    <message>
        <source>The settings of the command are in force from the next start on.</source>
        <translation>该命令的设置将从下次启动起生效。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Your own settings are back at their defaults.</source>
        <translation>您自己的设置已恢复默认值。</translation>
    </message>
    <message>
        <source>The list is empty now; the files are where they were.</source>
        <translation>列表已清空；文件仍在原处。</translation>
    </message>
</context>
<context>
    <name>HistoryActions</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) deleted.</source>
        <translation>
            <numerusform>已删除 %Ln 次运行。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) brought back.</source>
        <translation>
            <numerusform>已恢复 %Ln 次运行。</numerusform>
        </translation>
    </message>
    <message>
        <source>Show them</source>
        <translation>显示这些运行</translation>
    </message>
    <message>
        <source>Export: {form}</source>
        <translation>导出：{form}</translation>
    </message>
    <message>
        <source>Copied: {form}.</source>
        <translation>已复制：{form}。</translation>
    </message>
    <message>
        <source>Import runs</source>
        <translation>导入运行</translation>
    </message>
    <message>
        <source>Exports of qtune, results of llama-bench</source>
        <translation>qtune 的导出文件、llama-bench 的结果</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) were there already.</source>
        <translation>
            <numerusform>%Ln 次运行原本就在。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln of them had been deleted and stay hidden.</source>
        <translation>
            <numerusform>其中 %Ln 次已被删除，仍不显示。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) taken in.</source>
        <translation>
            <numerusform>已导入 %Ln 次运行。</numerusform>
        </translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Cancelled; everything is as it was.</source>
        <translation>已取消；一切保持原样。</translation>
    </message>
    <message>
        <source>Written: {path}</source>
        <translation>已写入：{path}</translation>
    </message>
</context>
<context>
    <name>HistoryComparison</name>
    <message>
        <source>Back to the list</source>
        <translation>返回列表</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>All settings are equal.</source>
        <translation>所有设置都相同。</translation>
    </message>
    <message>
        <source>Comparison: {first} and {second}</source>
        <translation>对比：{first} 与 {second}</translation>
    </message>
    <message numerus="yes">
        <source>Comparison: {first} and %n other(s)</source>
        <translation>
            <numerusform>比较：{first} 与另外 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>± and from–to: 95 % interval.</source>
        <translation>± 以及从–至：95 % 区间。</translation>
    </message>
    <message>
        <source>Side</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Decode tok/s</source>
        <translation>解码 tok/s</translation>
    </message>
    <message>
        <source>The runs stay selected there (Esc or Alt+Left).</source>
        <translation>那里的运行保持选中（Esc 或 Alt+Left）。</translation>
    </message>
    <message>
        <source>Compare against</source>
        <translation>比较基准</translation>
    </message>
    <message>
        <source>The side whose figures are what the others are more or less than.</source>
        <translation>其他各方的指标都以这一方为基准，表示比它高多少或低多少。</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>不同之处</translation>
    </message>
    <message>
        <source>All sides: {what}</source>
        <translation>各方相同：{what}</translation>
    </message>
    <message numerus="yes">
        <source>%Ln more run(s) are not shown: eight sides can be told apart.</source>
        <translation>
            <numerusform>另有 %Ln 次运行未显示：最多能分辨八方。</numerusform>
        </translation>
    </message>
    <message>
        <source>None of these sides has figures: no request of them counts.</source>
        <translation>各方都没有指标：没有一个请求计入。</translation>
    </message>
    <message>
        <source>{side} has no figures, so nothing can be held against it. Choose another side.</source>
        <translation>{side} 没有指标，无法作为比较基准。请选择另一方。</translation>
    </message>
    <message>
        <source>In brackets: smallest and largest request.</source>
        <translation>括号内：最小和最大的请求。</translation>
    </message>
    <message>
        <source>Here: {units} each.</source>
        <translation>这里各有：{units}。</translation>
    </message>
    <message>
        <source>Here: {units}.</source>
        <translation>这里：{units}。</translation>
    </message>
    <message numerus="yes">
        <source>%n start(s)</source>
        <translation>
            <numerusform>%n 次启动</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n text(s)</source>
        <translation>
            <numerusform>%n 个文本</numerusform>
        </translation>
    </message>
    <message>
        <source>Against {letter}: paired text by text, with the interval of the verdict.</source>
        <translation>与 {letter} 相比：逐个文本配对，区间与结论所用的相同。</translation>
    </message>
    <message>
        <source>Against {letter}</source>
        <translation>与 {letter} 相比</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>首 token</translation>
    </message>
    <message>
        <source>Whole request</source>
        <translation>整个请求</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>J/token</source>
        <translation>J/token</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>Counted requests.</source>
        <translation>计入的请求数。</translation>
    </message>
    <message>
        <source>Figures side by side</source>
        <translation>数据并列</translation>
    </message>
</context>
<context>
    <name>HistoryDetail</name>
    <message>
        <source>Details of the selected runs</source>
        <translation>所选运行的详情</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Write something about this run; it is kept when you leave.</source>
        <translation>写下关于这次运行的备注，离开时自动保存。</translation>
    </message>
    <message>
        <source>Note on the run</source>
        <translation>运行备注</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Select a run to see all of it, or several (Ctrl or Shift) to compare them side by side.</source>
        <translation>选择一次运行查看全部内容，或用 Ctrl、Shift 选择多次并排比较。</translation>
    </message>
    <message>
        <source>build {number}</source>
        <translation>构建 {number}</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Settings that are not the default</source>
        <translation>与默认值不同的设置</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>This run</source>
        <translation>本次</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Everything was left at its default.</source>
        <translation>全部保持默认值。</translation>
    </message>
    <message>
        <source>The running server was asked and uses these settings.</source>
        <translation>已向运行中的服务器核实，确实使用这些设置。</translation>
    </message>
    <message>
        <source>The settings were not read back from the running server.</source>
        <translation>未从运行中的服务器读回设置。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) selected</source>
        <translation>
            <numerusform>已选择 %Ln 次运行</numerusform>
        </translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>不同之处</translation>
    </message>
    <message>
        <source>All of them can be exported, marked or deleted together.</source>
        <translation>所选的全部可以一起导出、标记或删除。</translation>
    </message>
    <message>
        <source>Compare shows them side by side.</source>
        <translation>“比较”会把它们并排显示。</translation>
    </message>
    <message>
        <source>Compare shows up to {most} side by side, from the top.</source>
        <translation>“比较”从最上面起最多并排显示 {most} 次。</translation>
    </message>
    <message>
        <source>All settings are equal.</source>
        <translation>所有设置都相同。</translation>
    </message>
</context>
<context>
    <name>HistoryFilter</name>
    <message>
        <source>Find in models, notes…</source>
        <translation>在模型、备注中查找…</translation>
    </message>
    <message>
        <source>Find runs</source>
        <translation>查找运行</translation>
    </message>
    <message>
        <source>Words that must all occur in model, arm, engine, card or note (Ctrl+F).</source>
        <translation>这些词必须全部出现在模型、组、引擎、显卡或备注中（Ctrl+F）。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Filter: {column}</source>
        <translation>筛选：{column}</translation>
    </message>
    <message>
        <source>With outliers</source>
        <translation>含离群</translation>
    </message>
    <message>
        <source>Without outliers</source>
        <translation>不含离群</translation>
    </message>
    <message>
        <source>Only outliers</source>
        <translation>仅离群</translation>
    </message>
    <message>
        <source>Filter: outliers</source>
        <translation>筛选：离群</translation>
    </message>
    <message>
        <source>Starred only</source>
        <translation>仅星标</translation>
    </message>
    <message>
        <source>With deleted</source>
        <translation>含已删除</translation>
    </message>
    <message>
        <source>Without deleted</source>
        <translation>不含已删除</translation>
    </message>
    <message>
        <source>Only deleted</source>
        <translation>仅已删除</translation>
    </message>
    <message>
        <source>Filter: deleted runs</source>
        <translation>筛选：已删除的运行</translation>
    </message>
    <message>
        <source>Deleted runs can be brought back here.</source>
        <translation>已删除的运行可以在这里恢复。</translation>
    </message>
    <message>
        <source>By experiment</source>
        <translation>按实验</translation>
    </message>
    <message>
        <source>Runs that were measured together stand together.</source>
        <translation>一起测量的运行排在一起。</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>List all runs again.</source>
        <translation>重新列出全部运行。</translation>
    </message>
    <message>
        <source>All models</source>
        <translation>全部模型</translation>
    </message>
    <message>
        <source>All quantisations</source>
        <translation>全部量化</translation>
    </message>
    <message>
        <source>All presets</source>
        <translation>全部预设</translation>
    </message>
    <message>
        <source>All engines</source>
        <translation>全部引擎</translation>
    </message>
    <message>
        <source>All states</source>
        <translation>全部状态</translation>
    </message>
    <message>
        <source>All verdicts</source>
        <translation>全部结论</translation>
    </message>
    <message>
        <source>{name} ({count})</source>
        <translation>{name}（{count}）</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Open all</source>
        <translation>全部展开</translation>
    </message>
    <message>
        <source>Fold all</source>
        <translation>全部折叠</translation>
    </message>
    <message>
        <source>Shift+Left folds all experiments, Shift+Right opens them.</source>
        <translation>Shift+Left 折叠所有实验，Shift+Right 展开所有实验。</translation>
    </message>
    <message>
        <source>Fewer filters</source>
        <translation>收起筛选</translation>
    </message>
    <message>
        <source>More filters</source>
        <translation>更多筛选</translation>
    </message>
    <message>
        <source>By preset, engine, outliers and deleted runs; how many of these are on.</source>
        <translation>按预设、引擎、离群和已删除的运行筛选；括号内是其中已启用的个数。</translation>
    </message>
</context>
<context>
    <name>HistoryModel</name>
    <message>
        <source>Runs you starred; click to star one or take the star away.</source>
        <translation>加了星标的运行；点击可加上或取消星标。</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>When the run was started, local time.</source>
        <translation>本次运行的开始时间（本地时间）。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Name in the model's file.</source>
        <translation>模型文件中的名称。</translation>
    </message>
    <message>
        <source>Quant.</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Quantisation: precision of the weights.</source>
        <translation>量化：权重的精度。</translation>
    </message>
    <message>
        <source>Arm</source>
        <translation>组</translation>
    </message>
    <message>
        <source>What was measured: a preset, or a draft length that was tried.</source>
        <translation>测量的对象：某个预设，或试测的草稿长度。</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Tokens one conversation could hold.</source>
        <translation>一次对话能容纳的 token 数。</translation>
    </message>
    <message>
        <source>n_max</source>
        <translation>n_max</translation>
    </message>
    <message>
        <source>Most tokens drafted in one step; a dash without MTP.</source>
        <translation>一步最多起草的 token 数；未用 MTP 时为短横线。</translation>
    </message>
    <message>
        <source>Decode
tok/s</source>
        <translation>解码
tok/s</translation>
    </message>
    <message>
        <source>Median of output tokens per second after the first token.</source>
        <translation>首个 token 之后每秒输出 token 数的中位数。</translation>
    </message>
    <message>
        <source>First token
ms</source>
        <translation>首 token
ms</translation>
    </message>
    <message>
        <source>Median of the milliseconds from sending to the first piece of the answer (TTFT).</source>
        <translation>从发出请求到收到第一段回答的毫秒数的中位数（TTFT）。</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>接受率</translation>
    </message>
    <message>
        <source>Share of drafted tokens that the model confirmed.</source>
        <translation>模型确认的草稿 token 所占比例。</translation>
    </message>
    <message>
        <source>Peak
memory</source>
        <translation>内存
峰值</translation>
    </message>
    <message>
        <source>Highest reading: of the card, or of the engine where there is no card.</source>
        <translation>最高读数：显卡的；没有显卡时为引擎的。</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Of the experiment the run belongs to: its arm against Off, and how much faster.</source>
        <translation>来自此运行所属的实验：该组与“关闭”相比如何，快多少。</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>How the run ended; hover a failed one for the reason.</source>
        <translation>运行如何结束；指向失败的可看原因。</translation>
    </message>
    <message>
        <source>Build</source>
        <translation>构建</translation>
    </message>
    <message>
        <source>Build number of the engine.</source>
        <translation>引擎的构建号。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>What you wrote about the run.</source>
        <translation>你为该运行写的备注。</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n 次运行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{listed} of %n run(s)</source>
        <translation>
            <numerusform>{listed} / %n 次运行</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HistoryPage</name>
    <message>
        <source>Working</source>
        <translation>正在处理</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>HistorySection</name>
    <message>
        <source>History</source>
        <translation>历史记录</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>当前使用</translation>
    </message>
    <message>
        <source>Kept in</source>
        <translation>保存在</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>Copies, check</source>
        <translation>备份与检查</translation>
    </message>
    <message>
        <source>Where the history is kept</source>
        <translation>历史记录的保存位置</translation>
    </message>
    <message>
        <source>Address of the database</source>
        <translation>数据库地址</translation>
    </message>
    <message>
        <source>Password of the database</source>
        <translation>数据库密码</translation>
    </message>
    <message>
        <source>as it is kept in the key ring, or none</source>
        <translation>使用密钥环中保存的密码，或无密码</translation>
    </message>
    <message>
        <source>It goes into the key ring of this system, and into no file, log or export.</source>
        <translation>密码只存入本系统的密钥环，不会写入任何文件、日志或导出。</translation>
    </message>
    <message>
        <source>Try it</source>
        <translation>试一试</translation>
    </message>
    <message>
        <source>Connect and look what is there; nothing is changed.</source>
        <translation>连接并查看那里有什么；不会更改任何内容。</translation>
    </message>
    <message>
        <source>Use it from the next start on</source>
        <translation>下次启动起使用</translation>
    </message>
    <message>
        <source>Several computers can keep one history in a PostgreSQL database: everybody sees every run. While it is out of reach, what is measured waits on this computer.</source>
        <translation>多台计算机可以把同一份历史记录保存在 PostgreSQL 数据库中：每个人都能看到所有运行。数据库无法访问时，测量结果先在本机等待。</translation>
    </message>
    <message>
        <source>a file of this computer</source>
        <translation>本机的一个文件</translation>
    </message>
    <message>
        <source>a database shared with others</source>
        <translation>与他人共享的数据库</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在查看…</translation>
    </message>
</context>
<context>
    <name>HistoryUpkeep</name>
    <message>
        <source>Back up now</source>
        <translation>立即备份</translation>
    </message>
    <message>
        <source>Back up to…</source>
        <translation>备份到…</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Read all of the history and say what is wrong with it; changes nothing.</source>
        <translation>通读全部历史记录并说明有什么问题；不做任何改动。</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Working</source>
        <translation>正在处理</translation>
    </message>
    <message>
        <source>Folder for a copy of the history</source>
        <translation>历史记录副本的文件夹</translation>
    </message>
    <message>
        <source>Copying the history…</source>
        <translation>正在复制历史记录…</translation>
    </message>
    <message>
        <source>Copied to {path}</source>
        <translation>已复制到 {path}</translation>
    </message>
    <message>
        <source>Checking the history…</source>
        <translation>正在检查历史记录…</translation>
    </message>
    <message>
        <source>The history is sound.</source>
        <translation>历史记录完好。</translation>
    </message>
    <message>
        <source>Write a checked copy of the history, also while something is measured.</source>
        <translation>写入一份经过检查的历史记录副本，测量进行时也可以。</translation>
    </message>
    <message>
        <source>There is no copy in the folder of backups yet.</source>
        <translation>备份文件夹里还没有副本。</translation>
    </message>
    <message>
        <source>Last copy in the folder of backups: {when}</source>
        <translation>备份文件夹中最近的副本：{when}</translation>
    </message>
</context>
<context>
    <name>IncidentCard</name>
    <message>
        <source>Engine: {version}</source>
        <translation>引擎：{version}</translation>
    </message>
    <message>
        <source>The line of the engine's output that proves it.</source>
        <translation>引擎输出中可作为证据的那一行。</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>Copy a report of this failure</source>
        <translation>复制这次故障的报告</translation>
    </message>
    <message>
        <source>As Markdown, in English, without user names, computer names and places of files.</source>
        <translation>Markdown 格式，英文，不含用户名、计算机名和文件位置。</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
</context>
<context>
    <name>IncidentPanel</name>
    <message numerus="yes">
        <source>%n failure(s), newest first</source>
        <translation>
            <numerusform>%n 次故障，最新的在前</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>JobButtons</name>
    <message>
        <source>Compare all</source>
        <translation>全部比较</translation>
    </message>
    <message>
        <source>Measure this</source>
        <translation>测量此预设</translation>
    </message>
    <message>
        <source>Find best n_max</source>
        <translation>寻找最佳 n_max</translation>
    </message>
    <message>
        <source>Context sweep</source>
        <translation>上下文扫描</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Other measurements, and commands to paste, copy and export</source>
        <translation>其他测量，以及粘贴、复制和导出命令</translation>
    </message>
    <message>
        <source>Measure Off and this</source>
        <translation>测量“关闭”和此预设</translation>
    </message>
    <message>
        <source>Fill the context</source>
        <translation>填充上下文</translation>
    </message>
    <message>
        <source>Ten requests in a row</source>
        <translation>连续十个请求</translation>
    </message>
    <message>
        <source>Soak for 20 minutes</source>
        <translation>持续运行 20 分钟</translation>
    </message>
    <message>
        <source>Repeat with three seeds</source>
        <translation>用三个种子重复</translation>
    </message>
    <message>
        <source>Chat against raw text</source>
        <translation>聊天与纯文本对比</translation>
    </message>
    <message>
        <source>Self-test: Off against Off</source>
        <translation>自检：“关闭”对“关闭”</translation>
    </message>
    <message>
        <source>Off and every other preset in turn, each in fresh engines, until it is clear which is better (F6).</source>
        <translation>交替测量“关闭”和其他所有预设，每次都用全新的引擎，直到能看出哪个更好（F6）。</translation>
    </message>
    <message>
        <source>The chosen preset once, to have a look (F5).</source>
        <translation>只测一次所选预设，先看一看（F5）。</translation>
    </message>
    <message>
        <source>Tries a few draft lengths, then measures the best against Off once more with fresh requests (F7).</source>
        <translation>试几个草稿长度，再用新的请求把最好的与“关闭”比一次（F7）。</translation>
    </message>
    <message>
        <source>Off and the chosen preset with the context filled to a quarter, to half and wholly; Off alone where MTP cannot run (F8).</source>
        <translation>把上下文填充到四分之一、一半和全部，测量“关闭”和所选预设；无法运行 MTP 时只测“关闭”（F8）。</translation>
    </message>
    <message>
        <source>Off and then the chosen preset, once each: an indication (Shift+F5).</source>
        <translation>先测“关闭”，再测所选预设，各一次：仅供参考（Shift+F5）。</translation>
    </message>
    <message>
        <source>The chosen preset with the context filled to 50, 75 and 92 %, a real answer at each: does memory still suffice?</source>
        <translation>用所选预设把上下文填充到 50%、75% 和 92%，每次都真正作答：内存是否仍然够用？</translation>
    </message>
    <message>
        <source>Ten requests of the chosen preset in a row, none of which may go wrong.</source>
        <translation>所选预设连续十个请求，一个都不能出错。</translation>
    </message>
    <message>
        <source>The chosen preset without a pause: does its speed hold, and does memory grow?</source>
        <translation>所选预设不间断运行：速度能否保持？内存会不会增长？</translation>
    </message>
    <message>
        <source>Off and the chosen preset with three seeds: does the gain depend on chance?</source>
        <translation>用三个种子测“关闭”和所选预设：提升是否靠运气？</translation>
    </message>
    <message>
        <source>The same text with and without the model's chat template.</source>
        <translation>同一段文本，用与不用模型的聊天模板。</translation>
    </message>
    <message>
        <source>Off against itself. If that is no tie, this machine is too restless to compare.</source>
        <translation>“关闭”与自身比较。如果不是平手，说明这台电脑状态太不稳定，无法比较。</translation>
    </message>
</context>
<context>
    <name>JobCommands</name>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Leave it</source>
        <translation>不再继续</translation>
    </message>
</context>
<context>
    <name>KeepDialog</name>
    <message>
        <source>Keep these settings as the default? {settings}</source>
        <translation>将这些设置保留为默认？{settings}</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>还原</translation>
    </message>
    <message>
        <source>Do not keep</source>
        <translation>不保留</translation>
    </message>
    <message>
        <source>Reverting in {seconds} s to: {former}</source>
        <translation>{seconds} 秒后还原为：{former}</translation>
    </message>
    <message>
        <source>Without an answer within {seconds} s nothing is kept; the server goes on.</source>
        <translation>{seconds} 秒内未回答则不保留；服务器继续运行。</translation>
    </message>
</context>
<context>
    <name>KeysDialog</name>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Tab and Shift+Tab reach every control; Space presses it.</source>
        <translation>Tab 和 Shift+Tab 可到达每个控件，空格键按下它。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>LadderRail</name>
    <message>
        <source>The way back</source>
        <translation>退路</translation>
    </message>
    <message>
        <source>Roll back one step</source>
        <translation>回退一步</translation>
    </message>
    <message>
        <source>Climb back</source>
        <translation>恢复一步</translation>
    </message>
    <message>
        <source>Keep as my default…</source>
        <translation>保留为我的默认…</translation>
    </message>
    <message>
        <source>Start a server, and this shows what will be turned off, in order, if it does not hold: MTP first, then context, then the model's size. One click is one step, and each step can be undone.</source>
        <translation>启动服务器后，这里会依次显示无法稳定运行时将关闭什么：先是 MTP，再是上下文，然后是模型大小。点击一次回退一步，每一步都可以撤销。</translation>
    </message>
    <message>
        <source>What was asked for.</source>
        <translation>所要求的设置。</translation>
    </message>
    <message>
        <source>asked for</source>
        <translation>所要求</translation>
    </message>
    <message>
        <source>taken</source>
        <translation>已回退</translation>
    </message>
    <message>
        <source>next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Measured: {price}</source>
        <translation>实测：{price}</translation>
    </message>
    <message>
        <source>What it costs shows once both sides were measured.</source>
        <translation>两边都测量过之后，才会显示代价。</translation>
    </message>
    <message>
        <source>rolled back</source>
        <translation>已回退</translation>
    </message>
    <message>
        <source>No server runs. What was asked for is remembered here.</source>
        <translation>没有服务器在运行。这里记着所要求的设置。</translation>
    </message>
    <message>
        <source>A server is started and has to answer a real request.</source>
        <translation>正在启动服务器，它必须回答一个真实请求。</translation>
    </message>
    <message>
        <source>A server runs and has answered a real request.</source>
        <translation>服务器正在运行，并已回答过一个真实请求。</translation>
    </message>
    <message>
        <source>It failed. The next try follows by itself after a pause; Stop ends this.</source>
        <translation>失败了。稍候会自动再试；按“停止”即可结束。</translation>
    </message>
    <message>
        <source>It does not run, and nothing follows by itself.</source>
        <translation>它没有运行，也不会自动再做什么。</translation>
    </message>
    <message>
        <source>Make these settings the ones to return to; you confirm it within 20 seconds.</source>
        <translation>将这些设置作为可以返回的默认设置；需要在 20 秒内确认。</translation>
    </message>
    <message>
        <source>Once a server runs, its settings can be kept.</source>
        <translation>服务器运行后，可以保留它的设置。</translation>
    </message>
    <message>
        <source>Stops the server and starts it one step lower (Ctrl+Down):</source>
        <translation>停止服务器，并以低一步的设置启动（Ctrl+↓）：</translation>
    </message>
    <message>
        <source>Undoes the last step and starts the server again (Ctrl+Up):</source>
        <translation>撤销上一步，并重新启动服务器（Ctrl+↑）：</translation>
    </message>
</context>
<context>
    <name>LeaveDialog</name>
    <message>
        <source>Close qtune while it measures?</source>
        <translation>正在测量，要关闭 qtune 吗？</translation>
    </message>
    <message>
        <source>Do not ask again</source>
        <translation>不再询问</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Go on measuring</source>
        <translation>继续测量</translation>
    </message>
    <message>
        <source>What is measured is kept; the rest can be gone on with at the next start. Without an answer qtune closes in {seconds} s.</source>
        <translation>已测得的数据会保留，其余部分可在下次启动时继续。若不作答，qtune 将在 {seconds} 秒后关闭。</translation>
    </message>
</context>
<context>
    <name>LiveCharts</name>
    <message>
        <source>Requests of this session</source>
        <translation>本次会话的请求</translation>
    </message>
    <message>
        <source>Decode speed</source>
        <translation>解码速度</translation>
    </message>
    <message>
        <source>Output tokens per second after the first token. Line: live estimate from the text as it arrives. Points: the server's own figure of each finished request; hollow ones are warm-up. The axis counts seconds of streaming.</source>
        <translation>首个 token 之后每秒输出的 token 数。折线：根据到达的文本实时估算。圆点等标记：每个已完成请求的服务器实测值，空心为预热。横轴为流式输出的秒数。</translation>
    </message>
    <message>
        <source>Seconds of streaming</source>
        <translation>输出时间（秒）</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>首 token</translation>
    </message>
    <message>
        <source>Milliseconds from sending a request to the first piece of its answer (TTFT), one bar a request; hollow bars are warm-up.</source>
        <translation>从发出请求到收到第一段回答的毫秒数（TTFT），每个请求一根柱，空心柱为预热。</translation>
    </message>
    <message>
        <source>Acceptance</source>
        <translation>接受率</translation>
    </message>
    <message>
        <source>Share of drafted tokens that the model confirmed, one bar a request. L is the mean number of tokens gained in each step. Without MTP nothing is drafted, so there is no bar.</source>
        <translation>模型确认的草稿 token 所占比例，每个请求一根柱。L 是每一步平均得到的 token 数。关闭 MTP 时没有草稿，因此没有柱。</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>验证轮次</translation>
    </message>
    <message>
        <source>Verification rounds per second, one bar a request: in each the model checks one draft. Decode speed is rounds per second times L.</source>
        <translation>每秒验证轮次，每个请求一根柱：每一轮模型检查一次草稿。解码速度等于每秒轮次乘以 L。</translation>
    </message>
    <message>
        <source>rounds/s</source>
        <translation>轮/秒</translation>
    </message>
    <message>
        <source>Before now</source>
        <translation>距现在</translation>
    </message>
    <message>
        <source>The axis counts seconds before now.</source>
        <translation>横轴为距现在的秒数。</translation>
    </message>
    <message>
        <source>Memory in use on the graphics card by all programs. The dashed line is what the card has, the dotted one where the room begins that the chosen preset keeps free.</source>
        <translation>所有程序占用的显存。虚线为显卡的显存总量，点线为所选预设要保留的空闲空间的起点。</translation>
    </message>
    <message>
        <source>Main memory held by the engine; there is no graphics card to read.</source>
        <translation>引擎占用的内存；没有可读取的显卡。</translation>
    </message>
    <message>
        <source>Not reported on this computer</source>
        <translation>此电脑不提供该读数</translation>
    </message>
    <message>
        <source>VRAM</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Engine memory (RAM)</source>
        <translation>引擎内存（RAM）</translation>
    </message>
    <message>
        <source>Power the graphics card draws, as its driver reports it.</source>
        <translation>显卡的功耗，由驱动程序报告。</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>功耗</translation>
    </message>
    <message>
        <source>Temperature of the graphics card's chip, as its driver reports it.</source>
        <translation>显卡芯片的温度，由驱动程序报告。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Share of time in which the graphics card was computing.</source>
        <translation>显卡处于计算状态的时间占比。</translation>
    </message>
    <message>
        <source>Share of the processor that is busy, all cores and programs together.</source>
        <translation>处理器的忙碌占比，包括所有核心和所有程序。</translation>
    </message>
    <message>
        <source>GPU utilisation</source>
        <translation>GPU 利用率</translation>
    </message>
    <message>
        <source>CPU utilisation</source>
        <translation>CPU 利用率</translation>
    </message>
    <message>
        <source>≈ {rate} live</source>
        <translation>实时 ≈ {rate}</translation>
    </message>
    <message>
        <source>Nothing measured yet</source>
        <translation>尚无测量</translation>
    </message>
    <message>
        <source>Nothing was drafted: MTP is off</source>
        <translation>没有草稿：MTP 已关闭</translation>
    </message>
    <message>
        <source>No reading yet</source>
        <translation>尚无读数</translation>
    </message>
</context>
<context>
    <name>LogPage</name>
    <message>
        <source>Engine log</source>
        <translation>引擎日志</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>搜索日志</translation>
    </message>
    <message>
        <source>Previous hit</source>
        <translation>上一处</translation>
    </message>
    <message>
        <source>Next hit</source>
        <translation>下一处</translation>
    </message>
    <message>
        <source>Only marked lines</source>
        <translation>只看标记的行</translation>
    </message>
    <message>
        <source>Bold lines: faults and warnings, memory, layers on the card, context, MTP.</source>
        <translation>粗体行：错误与警告、内存、放到显卡上的层数、上下文、MTP。</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>全部复制</translation>
    </message>
    <message>
        <source>Copy the whole log</source>
        <translation>复制整个日志</translation>
    </message>
    <message>
        <source>The engine's output appears here once a server is started.</source>
        <translation>启动服务器后，引擎的输出会显示在这里。</translation>
    </message>
    <message>
        <source>Jump to the end</source>
        <translation>跳到末尾</translation>
    </message>
    <message>
        <source>Open the full log</source>
        <translation>打开完整日志</translation>
    </message>
    <message>
        <source>Every line of every launch, also those that are no longer shown: {path}</source>
        <translation>每次启动的所有行，包括不再显示的行：{path}</translation>
    </message>
    <message>
        <source>{count} lines</source>
        <translation>{count} 行</translation>
    </message>
    <message>
        <source>older lines are gone</source>
        <translation>更早的行已丢弃</translation>
    </message>
    <message>
        <source>older lines are in {path}</source>
        <translation>更早的行在 {path}</translation>
    </message>
    <message>
        <source>{count} lines came too fast to show</source>
        <translation>{count} 行来得太快，未显示</translation>
    </message>
    <message>
        <source>scrolling is paused</source>
        <translation>已暂停自动滚动</translation>
    </message>
    <message>
        <source>{count} hits</source>
        <translation>{count} 处</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>qtune</source>
        <translation>qtune</translation>
    </message>
</context>
<context>
    <name>MeasureBar</name>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>What is asked in every request. Each gets a new first line, so that no cache can help.</source>
        <translation>每个请求所问的内容。每次第一行都不同，避免缓存影响结果。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel; what was measured is kept (Esc).</source>
        <translation>取消；已测量的内容会保留（Esc）。</translation>
    </message>
    <message>
        <source>Hold the charts still (Space); nothing is lost.</source>
        <translation>暂停图表（空格键）；数据不会丢失。</translation>
    </message>
    <message>
        <source>Show the newest again in every chart (double-click resets one).</source>
        <translation>让所有图表重新跟随最新数据（双击可复位单个图表）。</translation>
    </message>
    <message>
        <source>More charts: power, temperature, utilisation, rounds per second.</source>
        <translation>更多图表：功耗、温度、利用率、每秒验证轮次。</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Full: 10 to 15 min</source>
        <translation>完整：10–15 分钟</translation>
    </message>
    <message>
        <source>Quick: about 4 min</source>
        <translation>快速：约 4 分钟</translation>
    </message>
    <message>
        <source>A verdict with an interval: every preset started at least twice, on three kinds of text. The times are those of a 27B model on a 24 GB card.</source>
        <translation>给出带区间的结论：每个预设至少启动两次，使用三类文本。所列时间以 24 GB 显卡上的 27B 模型为准。</translation>
    </message>
    <message>
        <source>An indication without an interval: every preset started once, on the chosen prompt.</source>
        <translation>仅供参考，没有区间：每个预设只启动一次，使用所选提示词。</translation>
    </message>
    <message>
        <source>How thoroughly comparisons and searches measure</source>
        <translation>比较和搜索测量得多细</translation>
    </message>
    <message>
        <source>Trying the server with a real request</source>
        <translation>正在用真实请求试运行服务器</translation>
    </message>
    <message>
        <source>Starting the server</source>
        <translation>正在启动服务器</translation>
    </message>
    <message>
        <source>Stopping the server</source>
        <translation>正在停止服务器</translation>
    </message>
    <message>
        <source>Preparing</source>
        <translation>正在准备</translation>
    </message>
    <message>
        <source>Counted requests where a preset is only looked at; a comparison decides by itself.</source>
        <translation>只看一看某个预设时计入的请求数；比较会自行决定。</translation>
    </message>
    <message>
        <source>Choose a model and an engine first.</source>
        <translation>请先选择模型和引擎。</translation>
    </message>
    <message>
        <source>{done} of {total} requests · {elapsed}</source>
        <translation>请求 {done}/{total} · 已用 {elapsed}</translation>
    </message>
    <message>
        <source>about {left} left</source>
        <translation>约剩 {left}</translation>
    </message>
</context>
<context>
    <name>MemoryChart</name>
    <message>
        <source>limit {size}</source>
        <translation>上限 {size}</translation>
    </message>
    <message>
        <source>keep {size} free</source>
        <translation>保留 {size} 空闲</translation>
    </message>
</context>
<context>
    <name>MissingCard</name>
    <message>
        <source>First steps</source>
        <translation>入门步骤</translation>
    </message>
    <message>
        <source>Where engines and models are found, and how to try without any.</source>
        <translation>哪里可以得到引擎和模型，以及没有它们时如何试用。</translation>
    </message>
    <message>
        <source>No engine: no llama-server was found, and the bundled one is not installed.</source>
        <translation>没有引擎：没有找到 llama-server，也没有安装内置引擎。</translation>
    </message>
    <message>
        <source>No model: choose a GGUF file, or drop one onto this window.</source>
        <translation>没有模型：请选择一个 GGUF 文件，或把它拖到此窗口。</translation>
    </message>
</context>
<context>
    <name>ModelDetail</name>
    <message>
        <source>Facts of the chosen model</source>
        <translation>所选模型的信息</translation>
    </message>
    <message>
        <source>Choose a model in the list to see whether it fits and what is in it.</source>
        <translation>在列表中选择一个模型，查看它是否放得下以及其中的内容。</translation>
    </message>
    <message>
        <source>Use this model</source>
        <translation>使用此模型</translation>
    </message>
    <message>
        <source>Go to Tune with this model (Enter in the list).</source>
        <translation>用此模型转到“调优”（在列表中按 Enter）。</translation>
    </message>
    <message>
        <source>What the file says</source>
        <translation>文件信息</translation>
    </message>
    <message>
        <source>Fit by context, when the search ran</source>
        <translation>各上下文是否放得下（搜索时）</translation>
    </message>
    <message>
        <source>From left to right as listed; hatched is what MTP adds, dotted is what should stay free.</source>
        <translation>从左到右与列表顺序一致；斜线部分是 MTP 增加的，点状部分应保持空闲。</translation>
    </message>
    <message>
        <source>Memory at {context} with {preset}</source>
        <translation>{context} 上下文、“{preset}”预设下的内存</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>How it is known</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>estimated in part</source>
        <translation>部分为估计</translation>
    </message>
    <message>
        <source>Context {context}</source>
        <translation>上下文 {context}</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>MTP</source>
        <translation>MTP</translation>
    </message>
    <message>
        <source>Off: {size}, {fit}</source>
        <translation>关闭：{size}，{fit}</translation>
    </message>
    <message>
        <source>With MTP: {size}, {fit}</source>
        <translation>开启 MTP：{size}，{fit}</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>有</translation>
    </message>
    <message>
        <source>no</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>MTP head</source>
        <translation>MTP 头</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>Trained context</source>
        <translation>训练上下文</translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation>聊天模板</translation>
    </message>
    <message>
        <source>Importance matrix</source>
        <translation>重要性矩阵</translation>
    </message>
    <message>
        <source>Sampling defaults</source>
        <translation>默认采样参数</translation>
    </message>
    <message>
        <source>MTP heads beside it</source>
        <translation>旁边的 MTP 头</translation>
    </message>
    <message>
        <source>Image encoder</source>
        <translation>图像编码器</translation>
    </message>
    <message>
        <source>Same model</source>
        <translation>同一模型</translation>
    </message>
    <message>
        <source>Not in the header</source>
        <translation>文件头中缺少</translation>
    </message>
    <message>
        <source>{size} in {count} files</source>
        <translation>{size}，共 {count} 个文件</translation>
    </message>
    <message>
        <source>{count} attention</source>
        <translation>{count} 注意力</translation>
    </message>
    <message>
        <source>{count} recurrent</source>
        <translation>{count} 循环</translation>
    </message>
    <message>
        <source>{count} MTP</source>
        <translation>{count} MTP</translation>
    </message>
    <message>
        <source>{where}: {count} tensors, mostly {type}</source>
        <translation>{where}：{count} 个张量，多为 {type}</translation>
    </message>
    <message>
        <source>{head}; this build can run it</source>
        <translation>{head}；此版本可以运行</translation>
    </message>
    <message>
        <source>{head}; this build cannot run it</source>
        <translation>{head}；此版本不能运行</translation>
    </message>
    <message>
        <source>{head}; not known whether this build can run it</source>
        <translation>{head}；不确定此版本能否运行</translation>
    </message>
</context>
<context>
    <name>ModelTableModel</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Name in the file; hover a line for the place of the file.</source>
        <translation>文件中的名称；悬停可查看文件位置。</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Precision of the weights.</source>
        <translation>权重的精度。</translation>
    </message>
    <message>
        <source>Size
GiB</source>
        <translation>大小
GiB</translation>
    </message>
    <message>
        <source>Of all its files together.</source>
        <translation>所有文件合计。</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>What the engine has to know to run it.</source>
        <translation>引擎必须支持它才能运行。</translation>
    </message>
    <message>
        <source>Trained
context</source>
        <translation>训练
上下文</translation>
    </message>
    <message>
        <source>Longest context the model was trained for, in tokens.</source>
        <translation>模型训练时的最长上下文（token）。</translation>
    </message>
    <message>
        <source>MTP head</source>
        <translation>MTP 头</translation>
    </message>
    <message>
        <source>Without a head there is no multi-token prediction.</source>
        <translation>没有 MTP 头就无法进行多 token 预测。</translation>
    </message>
    <message>
        <source>Fit at {context}</source>
        <translation>{context} 时
放得下？</translation>
    </message>
    <message>
        <source>Whether it fits into the free memory at the chosen context: with the preset Balanced, or with Off where there is no head.</source>
        <translation>在所选上下文下空闲内存是否放得下：按“均衡”预设计算，没有 MTP 头时按“关闭”计算。</translation>
    </message>
    <message>
        <source>Largest
with MTP</source>
        <translation>开启 MTP
最大</translation>
    </message>
    <message>
        <source>Largest context that fits with the preset Balanced and keeps its reserve free.</source>
        <translation>“均衡”预设放得下且保留其余量的最大上下文。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Search again</source>
        <translation>重新搜索</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Break the search off; what was found stays in the list.</source>
        <translation>中断搜索；已找到的保留在列表中。</translation>
    </message>
    <message>
        <source>Add folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Search a folder of yours, now and at every search; you can also drop one onto the window.</source>
        <translation>现在以及以后每次都搜索你的一个文件夹；也可以把文件夹拖到窗口上。</translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>正在搜索</translation>
    </message>
    <message>
        <source>Models found</source>
        <translation>找到的模型</translation>
    </message>
    <message>
        <source>Choose a folder with models</source>
        <translation>选择存放模型的文件夹</translation>
    </message>
    <message numerus="yes">
        <source>Searching… %n found so far</source>
        <translation>
            <numerusform>正在搜索… 已找到 %n 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Stopped: %n found until then</source>
        <translation>
            <numerusform>已停止：在此之前找到 %n 个</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n found</source>
        <translation>
            <numerusform>找到 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Looking where models are usually kept, and in your folders.</source>
        <translation>正在查找模型的常用位置和你的文件夹。</translation>
    </message>
    <message>
        <source>The search was stopped before it found a model. Search again to go through all.</source>
        <translation>搜索在找到模型之前就停止了。重新搜索可查找全部位置。</translation>
    </message>
    <message>
        <source>No GGUF model was found in the usual folders. Add the folder where yours are, or drop it or a file onto this window.</source>
        <translation>在常用文件夹中没有找到 GGUF 模型。请添加你存放模型的文件夹，或把文件夹或文件拖到此窗口。</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) or folder(s) cannot be used</source>
        <translation>
            <numerusform>%n 个文件或文件夹无法使用</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n folder(s) searched</source>
        <translation>
            <numerusform>搜索了 %n 个文件夹</numerusform>
        </translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Search no more: {folder}</source>
        <translation>不再搜索：{folder}</translation>
    </message>
    <message>
        <source>Search this folder no more; its files stay where they are.</source>
        <translation>不再搜索此文件夹；其中的文件保持不动。</translation>
    </message>
    <message>
        <source>usual place</source>
        <translation>常用位置</translation>
    </message>
</context>
<context>
    <name>NavRail</name>
    <message>
        <source>Tune</source>
        <translation>调优</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>All keys (F1)</source>
        <translation>所有快捷键 (F1)</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>{page} (Ctrl+{number})</source>
        <translation>{page}（Ctrl+{number}）</translation>
    </message>
</context>
<context>
    <name>Notifier</name>
    <message>
        <source>The server is ready</source>
        <translation>服务器已就绪</translation>
    </message>
    <message>
        <source>Cancelled: {job}</source>
        <translation>已取消：{job}</translation>
    </message>
    <message>
        <source>What was measured is kept.</source>
        <translation>已测得的数据会保留。</translation>
    </message>
    <message>
        <source>Failed: {job}</source>
        <translation>失败：{job}</translation>
    </message>
    <message>
        <source>Done: {job}</source>
        <translation>已完成：{job}</translation>
    </message>
    <message>
        <source>The server failed</source>
        <translation>服务器出现故障</translation>
    </message>
    <message>
        <source>The server runs again</source>
        <translation>服务器已重新运行</translation>
    </message>
    <message>
        <source>Rolled back; the server runs</source>
        <translation>已回退，服务器正在运行</translation>
    </message>
</context>
<context>
    <name>NumberSpin</name>
    <message>
        <source>“{text}” is not read as a whole number; {stays} stays. Write it as {examples}.</source>
        <translation>“{text}”不能读作整数，仍为 {stays}。请写成 {examples}。</translation>
    </message>
    <message>
        <source>{text} is not within {low} and {high}; {stays} stays.</source>
        <translation>{text} 不在 {low} 到 {high} 之间，仍为 {stays}。</translation>
    </message>
</context>
<context>
    <name>OwnBar</name>
    <message>
        <source>From the command you pasted; a preset changes only what it names.</source>
        <translation>来自您粘贴的命令；预设只更改它所列出的项目。</translation>
    </message>
    <message>
        <source>Back to defaults</source>
        <translation>恢复默认值</translation>
    </message>
    <message>
        <source>Put your own settings back to their defaults</source>
        <translation>将您自己的设置恢复为默认值</translation>
    </message>
    <message>
        <source>Under every preset: {settings}</source>
        <translation>所有预设共用：{settings}</translation>
    </message>
</context>
<context>
    <name>PageHead</name>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Take in runs that qtune exported, or results of llama-bench.</source>
        <translation>导入 qtune 导出的运行或 llama-bench 的结果。</translation>
    </message>
    <message>
        <source>Old runs…</source>
        <translation>旧的运行…</translation>
    </message>
    <message>
        <source>Delete runs by their age, if you want to; nothing goes by itself.</source>
        <translation>如有需要，可按时间删除运行；任何内容都不会自动删除。</translation>
    </message>
    <message>
        <source>Export listed</source>
        <translation>导出列表</translation>
    </message>
    <message>
        <source>Write every run the filter lists to a file.</source>
        <translation>把筛选列出的每次运行写入文件。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln deleted run(s)</source>
        <translation>
            <numerusform>%Ln 次已删除的运行</numerusform>
        </translation>
    </message>
    <message>
        <source>{listed} of {all} runs</source>
        <translation>{all} 次运行中的 {listed} 次</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln 次运行</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PassOn</name>
    <message>
        <source>Copied: the command that starts this preset.</source>
        <translation>已复制：启动此预设的命令。</translation>
    </message>
    <message>
        <source>It serves on port 8080 of this computer, without a key.</source>
        <translation>它在本机的 8080 端口提供服务，不设密钥。</translation>
    </message>
</context>
<context>
    <name>PasteDialog</name>
    <message>
        <source>Settings from a command</source>
        <translation>来自命令的设置</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>To be known</source>
        <translation>请注意</translation>
    </message>
    <message>
        <source>Model and engine</source>
        <translation>模型和引擎</translation>
    </message>
    <message>
        <source>stays as chosen</source>
        <translation>保持所选</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>the command drafts with MTP</source>
        <translation>该命令使用 MTP 起草</translation>
    </message>
    <message>
        <source>the command runs without MTP</source>
        <translation>该命令不使用 MTP</translation>
    </message>
    <message>
        <source>Settings that change</source>
        <translation>将更改的设置</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>not in the command: the default</source>
        <translation>命令中没有：用默认值</translation>
    </message>
    <message>
        <source>can change answers</source>
        <translation>可能改变回答</translation>
    </message>
    <message>
        <source>As they are already: {settings}</source>
        <translation>已经如此：{settings}</translation>
    </message>
    <message>
        <source>Not taken over</source>
        <translation>未采用</translation>
    </message>
</context>
<context>
    <name>PresetCard</name>
    <message>
        <source>no extra flags</source>
        <translation>无额外参数</translation>
    </message>
    <message>
        <source>What llama-server is given on top of your own settings.</source>
        <translation>在您自己的设置之外传给 llama-server 的参数。</translation>
    </message>
    <message>
        <source>Decode speed: output tokens per second after the first token, by the server's own timing; median of the counted requests.</source>
        <translation>解码速度：首个 token 之后每秒输出的 token 数，以服务器自身计时为准；取计入请求的中位数。</translation>
    </message>
    <message>
        <source>memory: no estimate for this file</source>
        <translation>内存：此文件无法估计</translation>
    </message>
    <message>
        <source>first token {ttft}</source>
        <translation>首 token {ttft}</translation>
    </message>
    <message>
        <source>Milliseconds from sending the request to the first piece of its answer.</source>
        <translation>从发送请求到收到回答第一段的毫秒数。</translation>
    </message>
    <message>
        <source>Counted requests: {n}.</source>
        <translation>计入的请求：{n}。</translation>
    </message>
    <message>
        <source>Decode speed of Off with the same prompt.</source>
        <translation>相同提示词下“关闭”的解码速度。</translation>
    </message>
    <message>
        <source>memory: no model chosen</source>
        <translation>内存：未选择模型</translation>
    </message>
    <message>
        <source>How much faster than Off it decodes, and the 95 % interval, by a comparison on: {prompts}.</source>
        <translation>解码比“关闭”快多少，以及 95 % 区间；来自对以下文本的比较：{prompts}。</translation>
    </message>
    <message>
        <source>How much faster it decodes than Off under the same set-up. An indication, not a verdict.</source>
        <translation>相同配置下解码比“关闭”快多少。仅供参考，不是结论。</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>尚未测量</translation>
    </message>
    <message>
        <source>Nothing was measured with this model, engine, prompt and these settings yet.</source>
        <translation>尚未用此模型、引擎、提示词和这些设置测量过。</translation>
    </message>
    <message>
        <source>blocked</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>What the newest comparison says of this preset against Off.</source>
        <translation>最近一次比较中，此预设相对“关闭”的结论。</translation>
    </message>
    <message>
        <source>Measured with this set-up; compare all presets for a verdict.</source>
        <translation>已用此配置测量；要得出结论请比较全部预设。</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>已测量</translation>
    </message>
    <message>
        <source>checks {kept}/{all}</source>
        <translation>检查 {kept}/{all}</translation>
    </message>
    <message>
        <source>What this preset promises:</source>
        <translation>此预设的承诺：</translation>
    </message>
    <message>
        <source>chosen</source>
        <translation>已选中</translation>
    </message>
    <message>
        <source>not chosen</source>
        <translation>未选中</translation>
    </message>
</context>
<context>
    <name>RecentButton</name>
    <message>
        <source>Clear this list</source>
        <translation>清空此列表</translation>
    </message>
    <message>
        <source>{file} (not there)</source>
        <translation>{file}（不存在）</translation>
    </message>
</context>
<context>
    <name>RecordModel</name>
    <message>
        <source>#</source>
        <translation>#</translation>
    </message>
    <message>
        <source>Number of the request in its run.</source>
        <translation>本次运行中的第几个请求。</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Warm-up requests do not count into the figures.</source>
        <translation>预热请求不计入结果。</translation>
    </message>
    <message>
        <source>Decode
tok/s</source>
        <translation>解码
tok/s</translation>
    </message>
    <message>
        <source>Output tokens per second after the first token, by the server's own timing.</source>
        <translation>首个 token 之后每秒输出的 token 数，以服务器自身计时为准。</translation>
    </message>
    <message>
        <source>First token
ms</source>
        <translation>首 token
ms</translation>
    </message>
    <message>
        <source>Milliseconds from sending to the first piece of the answer (TTFT).</source>
        <translation>从发出请求到收到第一段回答的毫秒数（TTFT）。</translation>
    </message>
    <message>
        <source>Prefill
tok/s</source>
        <translation>预填充
tok/s</translation>
    </message>
    <message>
        <source>Prompt tokens read per second.</source>
        <translation>每秒读入的提示词 token 数。</translation>
    </message>
    <message>
        <source>Total
s</source>
        <translation>总计
s</translation>
    </message>
    <message>
        <source>Whole request, from sending to the end of the stream.</source>
        <translation>整个请求的时间，从发出到流结束。</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>接受率</translation>
    </message>
    <message>
        <source>Share of drafted tokens that the model confirmed.</source>
        <translation>模型确认的草稿 token 所占比例。</translation>
    </message>
    <message>
        <source>L</source>
        <translation>L</translation>
    </message>
    <message>
        <source>Mean number of tokens gained in each step, the model's own included.</source>
        <translation>每一步平均得到的 token 数，包含模型自身的那一个。</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>token 数</translation>
    </message>
    <message>
        <source>Output tokens, by the server's count.</source>
        <translation>输出的 token 数，以服务器计数为准。</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>What was asked.</source>
        <translation>所提的问题。</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Tokens one conversation can hold.</source>
        <translation>一段对话最多容纳的 token 数。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行时间</translation>
    </message>
    <message>
        <source>When the run was started, local time.</source>
        <translation>本次运行的开始时间（本地时间）。</translation>
    </message>
    <message>
        <source>How it went</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Arm</source>
        <translation>组</translation>
    </message>
    <message>
        <source>What was measured: a preset, or a draft length that was tried.</source>
        <translation>测量的对象：某个预设，或试测的草稿长度。</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Each start is a fresh engine process; the starts of an arm are counted.</source>
        <translation>每次启动都是全新的引擎进程；按组计数。</translation>
    </message>
    <message>
        <source>Failed and marked requests stay in the list and leave the figures.</source>
        <translation>失败和被标记的请求保留在列表中，但不计入结果。</translation>
    </message>
</context>
<context>
    <name>RecoverySection</name>
    <message>
        <source>When a server fails</source>
        <translation>服务器出错时</translation>
    </message>
    <message>
        <source>Automatic rollback</source>
        <translation>自动回退</translation>
    </message>
    <message>
        <source>Gentler steps first</source>
        <translation>先走小步</translation>
    </message>
    <message>
        <source>Fallback model</source>
        <translation>后备模型</translation>
    </message>
    <message>
        <source>After a crash, a stall or a lack of memory, qtune takes one step down and starts the server again, at most three times in a quarter of an hour, and tells you what was turned off.</source>
        <translation>崩溃、停滞或内存不足之后，qtune 会回退一步并重新启动服务器，一刻钟内最多三次，并告诉您关闭了什么。</translation>
    </message>
    <message>
        <source>Shorter drafts, the usual draft cache and the usual batch are tried before MTP is turned off. More steps, so it takes longer to get to what surely works.</source>
        <translation>关闭 MTP 之前，先尝试更短的草稿、常规的草稿缓存和常规的批大小。步数更多，因此要更久才能退到肯定能用的设置。</translation>
    </message>
    <message>
        <source>A smaller model for the last step down, once nothing of the chosen model runs any more.</source>
        <translation>一个较小的模型，用于最后一步：当所选模型怎样都无法运行时。</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose the fallback model</source>
        <translation>选择后备模型</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Name no fallback model</source>
        <translation>不指定后备模型</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>GGUF models (*.gguf);;All files (*)</source>
        <translation>GGUF 模型 (*.gguf);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>RequestBars</name>
    <message>
        <source>request {number}</source>
        <translation>第 {number} 个请求</translation>
    </message>
</context>
<context>
    <name>ResultPage</name>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>No result yet. Compare all tells which preset is worth it; Find best n_max searches the draft length; Context sweep shows what a filled context costs; Fill the context, under More, tells whether memory still suffices when it is full.</source>
        <translation>尚无结果。“全部比较”告诉你哪个预设值得用；“寻找最佳 n_max”搜索草稿长度；“上下文扫描”显示填充上下文的代价；“更多”中的“填充上下文”告诉你上下文填满时内存是否仍然够用。</translation>
    </message>
</context>
<context>
    <name>RetentionDialog</name>
    <message>
        <source>Delete old runs</source>
        <translation>删除旧的运行</translation>
    </message>
    <message numerus="yes">
        <source>Older than %n day(s)</source>
        <translation>
            <numerusform>超过 %n 天</numerusform>
        </translation>
    </message>
    <message>
        <source>Started before…</source>
        <translation>早于某日…</translation>
    </message>
    <message>
        <source>How old</source>
        <translation>多旧</translation>
    </message>
    <message>
        <source>Started before</source>
        <translation>早于</translation>
    </message>
    <message>
        <source>Keep starred runs</source>
        <translation>保留带星标的运行</translation>
    </message>
    <message>
        <source>Nothing is ever deleted by itself. Deleted runs can be brought back until they are removed.</source>
        <translation>任何内容都不会自动删除。已删除的运行在彻底移除之前都可以恢复。</translation>
    </message>
    <message>
        <source>Counted in the whole history, whatever the list is filtered by.</source>
        <translation>按整个历史记录计数，与列表的筛选无关。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Remove for good…</source>
        <translation>彻底移除…</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>正在计数…</translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) would be deleted.</source>
        <translation>
            <numerusform>将删除 %Ln 次运行。</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln deleted run(s) can still be brought back.</source>
        <translation>
            <numerusform>%Ln 次已删除的运行仍可恢复。</numerusform>
        </translation>
    </message>
    <message>
        <source>No deleted run is waiting to be brought back.</source>
        <translation>没有可恢复的已删除运行。</translation>
    </message>
    <message>
        <source>Remove {count} deleted runs for good?</source>
        <translation>彻底移除 {count} 次已删除的运行？</translation>
    </message>
    <message>
        <source>There is no way back.</source>
        <translation>无法撤销。</translation>
    </message>
    <message>
        <source>Remove for good</source>
        <translation>彻底移除</translation>
    </message>
</context>
<context>
    <name>RunButtons</name>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Side by side with intervals, as bars and as lines over time (Enter).</source>
        <translation>并列显示：带区间的数据、条形图和随时间变化的曲线（回车）。</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Write the selected runs to a file, or copy them (Ctrl+E).</source>
        <translation>把所选运行写入文件，或复制为文本（Ctrl+E）。</translation>
    </message>
    <message>
        <source>Starred runs are found again by the filter.</source>
        <translation>加了星标的运行可以用筛选找回。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Takes the run out of the list; it can be brought back (Delete).</source>
        <translation>从列表中移除，之后可以恢复（Delete）。</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Put the deleted run back into the list.</source>
        <translation>把已删除的运行放回列表。</translation>
    </message>
    <message>
        <source>Remove star</source>
        <translation>取消星标</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>加星标</translation>
    </message>
    <message>
        <source>No outlier</source>
        <translation>取消离群</translation>
    </message>
    <message>
        <source>Outlier</source>
        <translation>离群</translation>
    </message>
    <message>
        <source>To be believed again.</source>
        <translation>重新视为可信。</translation>
    </message>
    <message>
        <source>Mark as not to be believed; the run stays in the history.</source>
        <translation>标记为不可信；该运行仍留在历史中。</translation>
    </message>
</context>
<context>
    <name>RunMenu</name>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Star</source>
        <translation>加星标</translation>
    </message>
    <message>
        <source>Remove star</source>
        <translation>取消星标</translation>
    </message>
    <message>
        <source>Mark as outlier</source>
        <translation>标为离群</translation>
    </message>
    <message>
        <source>No outlier</source>
        <translation>取消离群</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>恢复</translation>
    </message>
</context>
<context>
    <name>ServerActions</name>
    <message>
        <source>Start {settings}</source>
        <translation>启动 {settings}</translation>
    </message>
    <message>
        <source>Start {settings} instead</source>
        <translation>改为启动 {settings}</translation>
    </message>
    <message>
        <source>Stop the server</source>
        <translation>停止服务器</translation>
    </message>
    <message>
        <source>Start last good settings</source>
        <translation>启动上次可用的设置</translation>
    </message>
    <message>
        <source>Start last good settings: {settings}</source>
        <translation>启动上次可用的设置：{settings}</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Engine and computer</source>
        <translation>引擎与电脑</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>llama-server</source>
        <translation>llama-server</translation>
    </message>
    <message>
        <source>Graphics card</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>Run on</source>
        <translation>运行于</translation>
    </message>
    <message>
        <source>Computer</source>
        <translation>电脑</translation>
    </message>
    <message>
        <source>qtune version</source>
        <translation>qtune 版本</translation>
    </message>
    <message>
        <source>First steps</source>
        <translation>入门步骤</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose llama-server</source>
        <translation>选择 llama-server</translation>
    </message>
    <message>
        <source>Engine, model and first measurement, one after the other.</source>
        <translation>引擎、模型和首次测量，一步接一步。</translation>
    </message>
    <message>
        <source>Everything can be reached without a mouse.</source>
        <translation>一切都可以不用鼠标操作。</translation>
    </message>
    <message>
        <source>Show all keys</source>
        <translation>显示所有快捷键</translation>
    </message>
    <message>
        <source>Show again</source>
        <translation>再次显示</translation>
    </message>
    <message>
        <source>Show the first steps again</source>
        <translation>再次显示入门步骤</translation>
    </message>
    <message>
        <source>Card that servers run on</source>
        <translation>服务器所用的显卡</translation>
    </message>
    <message>
        <source>The next start uses it; the strip, the memory bars and the chart show it.</source>
        <translation>下次启动时使用；状态栏、内存占用条和图表都显示它。</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>none chosen</source>
        <translation>未选择</translation>
    </message>
    <message>
        <source>the bundled llama.cpp, {version}</source>
        <translation>内置的 llama.cpp，{version}</translation>
    </message>
    <message>
        <source>qtune works without one: the engine's own memory is shown instead.</source>
        <translation>没有显卡 qtune 也能工作：改为显示引擎自身占用的内存。</translation>
    </message>
    <message>
        <source>looking…</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>{cpu}, {cores} cores, {memory} RAM, {system}</source>
        <translation>{cpu}，{cores} 核，{memory} 内存，{system}</translation>
    </message>
    <message>
        <source>All cards</source>
        <translation>所有显卡</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open folder: {name}</source>
        <translation>打开文件夹：{name}</translation>
    </message>
</context>
<context>
    <name>SourceBar</name>
    <message>
        <source>GGUF models (*.gguf);;All files (*)</source>
        <translation>GGUF 模型 (*.gguf);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Choose llama-server</source>
        <translation>选择 llama-server</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Choose a GGUF file; you can also drop one onto the window.</source>
        <translation>选择一个 GGUF 文件；也可以把文件拖到窗口上。</translation>
    </message>
    <message>
        <source>Choose the program llama-server of llama.cpp.</source>
        <translation>选择 llama.cpp 的程序 llama-server。</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Models used last</source>
        <translation>最近使用的模型</translation>
    </message>
    <message>
        <source>Engines used last</source>
        <translation>最近使用的引擎</translation>
    </message>
    <message>
        <source>sample</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Made by qtune to try things out: its speed says nothing about your graphics card.</source>
        <translation>由 qtune 生成，用于试用：它的速度不能说明您的显卡如何。</translation>
    </message>
    <message>
        <source>Multi-token prediction needs a head inside the model file that guesses several tokens.</source>
        <translation>多 token 预测需要模型文件内带有能一次猜测多个 token 的预测头。</translation>
    </message>
    <message>
        <source>knows MTP</source>
        <translation>支持 MTP</translation>
    </message>
    <message>
        <source>no MTP</source>
        <translation>不支持 MTP</translation>
    </message>
    <message>
        <source>Whether this build can draft with a model's own MTP head.</source>
        <translation>此版本能否用模型自带的 MTP 头生成草稿。</translation>
    </message>
    <message>
        <source>bundled llama.cpp</source>
        <translation>内置 llama.cpp</translation>
    </message>
    <message>
        <source>{name}: cannot be used</source>
        <translation>{name}：无法使用</translation>
    </message>
</context>
<context>
    <name>StatePill</name>
    <message>
        <source>Server: {state}</source>
        <translation>服务器：{state}</translation>
    </message>
</context>
<context>
    <name>StatusStrip</name>
    <message>
        <source>none chosen</source>
        <translation>未选择</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Roll back one step</source>
        <translation>回退一步</translation>
    </message>
    <message>
        <source>Starts the server one step lower (Ctrl+Down).</source>
        <translation>以低一步的设置启动服务器（Ctrl+↓）。</translation>
    </message>
    <message>
        <source>bundled llama.cpp</source>
        <translation>内置 llama.cpp</translation>
    </message>
    <message>
        <source>Preset: {preset}</source>
        <translation>预设：{preset}</translation>
    </message>
    <message>
        <source>The settings in force were read back and are as asked.</source>
        <translation>已读回生效的设置，与要求一致。</translation>
    </message>
    <message>
        <source>The settings in force could not all be verified.</source>
        <translation>生效的设置未能全部核实。</translation>
    </message>
    <message>
        <source>Memory in use on the card by all programs, and what the card has.</source>
        <translation>所有程序占用的显存，以及显存总量。</translation>
    </message>
    <message>
        <source>Graphics card</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>looking…</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>not running</source>
        <translation>未运行</translation>
    </message>
    <message>
        <source>{memory} RAM</source>
        <translation>{memory} 内存</translation>
    </message>
    <message>
        <source>Main memory held by the engine.</source>
        <translation>引擎占用的内存。</translation>
    </message>
    <message>
        <source>No GPU · engine memory</source>
        <translation>无 GPU · 引擎内存</translation>
    </message>
    <message>
        <source>Memory in use: {share}</source>
        <translation>内存占用：{share}</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Start server</source>
        <translation>启动服务器</translation>
    </message>
    <message>
        <source>Other ways to start</source>
        <translation>其他启动方式</translation>
    </message>
    <message>
        <source>Start last good settings, or what is chosen in the place of what runs</source>
        <translation>启动上次可用的设置，或用所选设置替换正在运行的服务器</translation>
    </message>
    <message>
        <source>Stop the server. What was measured is kept.</source>
        <translation>停止服务器。已测量的内容会保留。</translation>
    </message>
    <message>
        <source>Start the chosen preset and leave the server running.</source>
        <translation>以选中的预设启动服务器并保持运行。</translation>
    </message>
</context>
<context>
    <name>StepPanel</name>
    <message>
        <source>Steps on the ladder</source>
        <translation>退路上的步骤</translation>
    </message>
</context>
<context>
    <name>StepRow</name>
    <message>
        <source>proved</source>
        <translation>已证实</translation>
    </message>
    <message>
        <source>not proved</source>
        <translation>未证实</translation>
    </message>
    <message>
        <source>The server answered a real request.</source>
        <translation>服务器回答了一个真实请求。</translation>
    </message>
    <message>
        <source>The server did not answer a real request.</source>
        <translation>服务器没有回答真实请求。</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>to do</source>
        <translation>待办</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺少</translation>
    </message>
    <message>
        <source>with a limit</source>
        <translation>有限制</translation>
    </message>
    <message>
        <source>Step {number}: {title}, {state}</source>
        <translation>第 {number} 步：{title}，{state}</translation>
    </message>
</context>
<context>
    <name>StopQuestions</name>
    <message>
        <source>Programs that use the server lose it.</source>
        <translation>正在使用该服务器的程序将无法再使用它。</translation>
    </message>
    <message>
        <source>Programs that use the server at {address} lose it.</source>
        <translation>正在使用 {address} 上的服务器的程序将无法再使用它。</translation>
    </message>
    <message>
        <source>It is answering a request at this moment, which breaks off.</source>
        <translation>它此刻正在回答一个请求，该回答会中断。</translation>
    </message>
    <message>
        <source>It does not tell whether it is answering a request.</source>
        <translation>无法得知它是否正在回答请求。</translation>
    </message>
    <message>
        <source>Stop the server?</source>
        <translation>停止服务器？</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the running server and start {settings}?</source>
        <translation>停止正在运行的服务器并启动“{settings}”？</translation>
    </message>
    <message>
        <source>Stop and start</source>
        <translation>停止并启动</translation>
    </message>
    <message>
        <source>Every preset is measured in a fresh engine.</source>
        <translation>每个预设都在全新启动的引擎中测量。</translation>
    </message>
    <message>
        <source>Stop the running server to measure?</source>
        <translation>停止正在运行的服务器以进行测量？</translation>
    </message>
    <message>
        <source>Stop and measure</source>
        <translation>停止并测量</translation>
    </message>
    <message>
        <source>The server you started ends with qtune.</source>
        <translation>您启动的服务器会随 qtune 一起结束。</translation>
    </message>
    <message>
        <source>Close qtune and stop the server?</source>
        <translation>关闭 qtune 并停止服务器？</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>停止并关闭</translation>
    </message>
</context>
<context>
    <name>SummaryStrip</name>
    <message>
        <source>Record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>first token {pair}</source>
        <translation>首 token {pair}</translation>
    </message>
    <message>
        <source>total {pair}</source>
        <translation>总计 {pair}</translation>
    </message>
    <message>
        <source>accepted {share}</source>
        <translation>接受率 {share}</translation>
    </message>
    <message>
        <source>n = {off} and {on}</source>
        <translation>n = {off} 与 {on}</translation>
    </message>
    <message>
        <source>Medians of the counted requests; n is how many there were.</source>
        <translation>计入请求的中位数；n 为请求数。</translation>
    </message>
    <message>
        <source>How much faster the preset decodes than Off: median against median.</source>
        <translation>该预设的解码比“关闭”快多少：中位数与中位数相比。</translation>
    </message>
    <message>
        <source>verdict: {span}</source>
        <translation>结论：{span}</translation>
    </message>
    <message>
        <source>A comparison found this range over all its texts; see Result. Left: the chosen prompt.</source>
        <translation>这是比较在全部文本上得到的区间，见“结果”。左侧为所选提示词的数值。</translation>
    </message>
    <message>
        <source>so far</source>
        <translation>目前</translation>
    </message>
    <message>
        <source>The measurement is still going on.</source>
        <translation>测量仍在进行。</translation>
    </message>
    <message>
        <source>indication: few runs, not interleaved</source>
        <translation>仅供参考：次数少，未交错</translation>
    </message>
    <message>
        <source>indication: not interleaved</source>
        <translation>仅供参考：未交错</translation>
    </message>
    <message>
        <source>Each preset ran once, one after the other, so chance and drift of the machine are in the figures. This is no verdict.</source>
        <translation>每个预设只依次运行了一遍，结果中含有偶然因素和机器状态的漂移。这不是结论。</translation>
    </message>
    <message>
        <source>Choose another preset to compare it with Off.</source>
        <translation>选择另一个预设与“关闭”比较。</translation>
    </message>
    <message>
        <source>Measure Off and {preset} with the same set-up to compare them.</source>
        <translation>在相同配置下测量“关闭”和“{preset}”即可比较。</translation>
    </message>
</context>
<context>
    <name>TableColumns</name>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>As many as fit</source>
        <translation>能放下多少就显示多少</translation>
    </message>
</context>
<context>
    <name>TimeChart</name>
    <message>
        <source>{time} before now</source>
        <translation>{time}前</translation>
    </message>
</context>
<context>
    <name>TransferRow</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Ends it; the file or the history stays as it was.</source>
        <translation>结束操作；文件或历史记录保持原样。</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>{name}: {share} %</source>
        <translation>{name}：{share} %</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>Open window</source>
        <translation>打开窗口</translation>
    </message>
    <message>
        <source>Quit qtune</source>
        <translation>退出 qtune</translation>
    </message>
    <message>
        <source>Server: {state}</source>
        <translation>服务器：{state}</translation>
    </message>
    <message>
        <source>qtune goes on in the system tray</source>
        <translation>qtune 在系统托盘中继续运行</translation>
    </message>
    <message>
        <source>A click on its icon opens the window; Quit in its menu ends qtune.</source>
        <translation>点击托盘图标可打开窗口；在其菜单中选择“退出 qtune”可结束程序。</translation>
    </message>
    <message>
        <source>qtune: {state}</source>
        <translation>qtune：{state}</translation>
    </message>
</context>
<context>
    <name>TunePage</name>
    <message>
        <source>Tune</source>
        <translation>调优</translation>
    </message>
    <message>
        <source>Record of requests</source>
        <translation>请求记录</translation>
    </message>
</context>
<context>
    <name>VerdictCard</name>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Measure what is still missing.</source>
        <translation>测量尚缺的部分。</translation>
    </message>
    <message>
        <source>Fill test</source>
        <translation>填充测试</translation>
    </message>
    <message>
        <source>Use what was found</source>
        <translation>采用找到的结果</translation>
    </message>
    <message>
        <source>Verdict: {sentence}</source>
        <translation>结论：{sentence}</translation>
    </message>
    <message>
        <source>Least memory of the card that stayed free.</source>
        <translation>显卡剩余显存的最小值。</translation>
    </message>
    <message>
        <source>Most main memory the engine held; there is no card to read.</source>
        <translation>引擎占用内存的最大值；没有可读取的显卡。</translation>
    </message>
    <message>
        <source>Engine memory</source>
        <translation>引擎内存</translation>
    </message>
    <message>
        <source>Arm</source>
        <translation>组</translation>
    </message>
    <message>
        <source>Decode tok/s</source>
        <translation>解码 tok/s</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>95 %</source>
        <translation>95 %</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>首 token</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>总计</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>接受率</translation>
    </message>
    <message>
        <source>Does {preset} still answer when the context is full? Fills it to 50, 75 and 92 % and watches the memory.</source>
        <translation>上下文填满时“{preset}”还能作答吗？填充到 50%、75% 和 92% 并观察内存。</translation>
    </message>
    <message>
        <source>Free memory</source>
        <translation>剩余显存</translation>
    </message>
    <message>
        <source>Against Off by text, and what to use for each</source>
        <translation>按文本与“关闭”相比，以及各用哪个</translation>
    </message>
    <message>
        <source>vs Off</source>
        <translation>与“关闭”相比</translation>
    </message>
    <message>
        <source>Form</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Answers that kept the form they were asked for.</source>
        <translation>符合所要求格式的回答比例。</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>Counted requests.</source>
        <translation>计入的请求数。</translation>
    </message>
    <message>
        <source>mixed use</source>
        <translation>混合使用</translation>
    </message>
    <message>
        <source>All its texts together, each counting the same.</source>
        <translation>所有文本合在一起，各占同样的分量。</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>left out: the answers differ too much in length</source>
        <translation>未列入：回答长度相差太大</translation>
    </message>
    <message>
        <source>Use n_max = {n}</source>
        <translation>采用 n_max = {n}</translation>
    </message>
    <message>
        <source>Makes a custom preset of it, with which the server can be started.</source>
        <translation>把它设为自定义预设，可用来启动服务器。</translation>
    </message>
    <message>
        <source>Choose {preset}</source>
        <translation>选用“{preset}”</translation>
    </message>
</context>
<context>
    <name>ViewSwitch</name>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Charts, record and answer as they come (Ctrl+Shift+1).</source>
        <translation>实时显示图表、记录和回答（Ctrl+Shift+1）。</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Verdict and diagnosis of the newest job (Ctrl+Shift+2).</source>
        <translation>最近一次任务的结论和诊断（Ctrl+Shift+2）。</translation>
    </message>
    <message>
        <source>Ladder</source>
        <translation>退路</translation>
    </message>
    <message>
        <source>What can be turned off, step by step (Ctrl+Shift+3).</source>
        <translation>可以逐步关闭什么（Ctrl+Shift+3）。</translation>
    </message>
</context>
<context>
    <name>WayBack</name>
    <message>
        <source>The server is being stopped; wait for its end.</source>
        <translation>正在停止服务器；请等它结束。</translation>
    </message>
    <message>
        <source>The sample model is being written.</source>
        <translation>正在写入示例模型。</translation>
    </message>
    <message>
        <source>A start is under way; wait for its end, or press Stop.</source>
        <translation>正在启动；请等待完成，或按“停止”。</translation>
    </message>
</context>
<context>
    <name>WayBackBanners</name>
    <message>
        <source>Climb back</source>
        <translation>恢复一步</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Start {settings}</source>
        <translation>启动 {settings}</translation>
    </message>
    <message>
        <source>One step lower</source>
        <translation>低一步启动</translation>
    </message>
    <message>
        <source>The server runs again, with the same settings.</source>
        <translation>服务器已恢复运行，设置不变。</translation>
    </message>
    <message>
        <source>{time}: {sentence}</source>
        <translation>{time}：{sentence}</translation>
    </message>
    <message>
        <source>Start it again</source>
        <translation>再次启动</translation>
    </message>
    <message>
        <source>Leave it</source>
        <translation>不处理</translation>
    </message>
    <message>
        <source>No settings have been proved to work yet.</source>
        <translation>还没有任何设置被证实可用。</translation>
    </message>
    <message>
        <source>Last settings that worked: {settings}.</source>
        <translation>上次可用的设置：{settings}。</translation>
    </message>
    <message>
        <source>Start anyway</source>
        <translation>仍然启动</translation>
    </message>
</context>
<context>
    <name>WhenFilter</name>
    <message>
        <source>Any date</source>
        <translation>任何日期</translation>
    </message>
    <message numerus="yes">
        <source>Last %n day(s)</source>
        <translation>
            <numerusform>最近 %n 天</numerusform>
        </translation>
    </message>
    <message>
        <source>This year</source>
        <translation>今年</translation>
    </message>
    <message>
        <source>From… to…</source>
        <translation>从…至…</translation>
    </message>
    <message>
        <source>Filter: date</source>
        <translation>筛选：日期</translation>
    </message>
    <message>
        <source>First day</source>
        <translation>第一天</translation>
    </message>
    <message>
        <source>Last day</source>
        <translation>最后一天</translation>
    </message>
</context>
<context>
    <name>WindowSection</name>
    <message>
        <source>Window and notifications</source>
        <translation>窗口与通知</translation>
    </message>
    <message>
        <source>Close to tray</source>
        <translation>关闭到托盘</translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>Closing</source>
        <translation>关闭窗口</translation>
    </message>
    <message>
        <source>Closing the window only hides it; the server and what is measured go on. Quit in the menu of the tray icon, or Ctrl+Q, ends qtune.</source>
        <translation>关闭窗口只会将其隐藏，服务器和测量会继续。在托盘图标的菜单中选择退出或按 Ctrl+Q 可结束 qtune。</translation>
    </message>
    <message>
        <source>This desktop shows no system tray now, so closing the window ends qtune.</source>
        <translation>当前桌面没有系统托盘，因此关闭窗口会结束 qtune。</translation>
    </message>
    <message>
        <source>When a job of more than 20 seconds ends or the server fails while another window is in front; never with a sound.</source>
        <translation>当超过 20 秒的任务结束或服务器出现故障，而前台是其他窗口时通知；不会发出声音。</translation>
    </message>
    <message>
        <source>What is measured is kept either way.</source>
        <translation>无论如何，已测得的数据都会保留。</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>Notify me when a long job ends</source>
        <translation>长任务结束时通知我</translation>
    </message>
    <message>
        <source>Ask first while a measurement is under way</source>
        <translation>正在测量时先询问</translation>
    </message>
</context>
<context>
    <name>arms</name>
    <message>
        <source>Off again</source>
        <translation>关闭（再次）</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>聊天</translation>
    </message>
    <message>
        <source>Without template</source>
        <translation>不用模板</translation>
    </message>
    <message>
        <source>trial: {arm}</source>
        <translation>试测：{arm}</translation>
    </message>
</context>
<context>
    <name>decision</name>
    <message>
        <source>better</source>
        <translation>更好</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>更差</translation>
    </message>
    <message>
        <source>no difference</source>
        <translation>无差别</translation>
    </message>
    <message>
        <source>no answer yet</source>
        <translation>尚无答案</translation>
    </message>
    <message>
        <source>MTP not active</source>
        <translation>MTP 未生效</translation>
    </message>
</context>
<context>
    <name>exports</name>
    <message>
        <source>CSV, one line a run</source>
        <translation>CSV，每次运行一行</translation>
    </message>
    <message>
        <source>CSV, one line a request</source>
        <translation>CSV，每个请求一行</translation>
    </message>
    <message>
        <source>CSV for spreadsheets</source>
        <translation>电子表格用 CSV</translation>
    </message>
    <message>
        <source>JSON, everything</source>
        <translation>JSON，全部内容</translation>
    </message>
    <message>
        <source>JSON lines, everything</source>
        <translation>JSON 行，全部内容</translation>
    </message>
    <message>
        <source>Markdown table</source>
        <translation>Markdown 表格</translation>
    </message>
    <message>
        <source>Card to share (Markdown)</source>
        <translation>分享卡片（Markdown）</translation>
    </message>
    <message>
        <source>Report with charts (HTML)</source>
        <translation>带图表的报告（HTML）</translation>
    </message>
    <message>
        <source>Report with charts (PDF)</source>
        <translation>带图表的报告（PDF）</translation>
    </message>
    <message>
        <source>llama-bench CSV</source>
        <translation>llama-bench CSV</translation>
    </message>
    <message>
        <source>llama-bench JSON</source>
        <translation>llama-bench JSON</translation>
    </message>
    <message>
        <source>llama-bench Markdown</source>
        <translation>llama-bench Markdown</translation>
    </message>
    <message>
        <source>llama-bench SQL</source>
        <translation>llama-bench SQL</translation>
    </message>
    <message>
        <source>Command line</source>
        <translation>命令行</translation>
    </message>
    <message>
        <source>Script for sh (Linux, macOS)</source>
        <translation>sh 脚本（Linux、macOS）</translation>
    </message>
    <message>
        <source>Script for PowerShell</source>
        <translation>PowerShell 脚本</translation>
    </message>
    <message>
        <source>Script for cmd (.bat)</source>
        <translation>cmd 脚本（.bat）</translation>
    </message>
    <message>
        <source>llama-swap entry (YAML)</source>
        <translation>llama-swap 条目（YAML）</translation>
    </message>
    <message>
        <source>Presets for llama-server (INI)</source>
        <translation>llama-server 预设（INI）</translation>
    </message>
    <message>
        <source>To read and share</source>
        <translation>用于阅读和分享</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>As llama-bench writes it</source>
        <translation>llama-bench 格式</translation>
    </message>
    <message>
        <source>To launch it</source>
        <translation>用于启动</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>复制为文本</translation>
    </message>
    <message>
        <source>Made of one run; select a single one.</source>
        <translation>由单次运行生成；请只选择一次。</translation>
    </message>
</context>
<context>
    <name>figures</name>
    <message>
        <source>What was measured: a preset, or a draft length that was tried.</source>
        <translation>测量的对象：某个预设，或试测的草稿长度。</translation>
    </message>
    <message>
        <source>Decode speed: output tokens per second after the first token, by the server's own timing.</source>
        <translation>解码速度：首个 token 之后每秒输出的 token 数，按服务器自己的计时。</translation>
    </message>
    <message>
        <source>Time from sending the request to the first piece of its answer (TTFT).</source>
        <translation>从发出请求到收到回答第一部分的时间（TTFT）。</translation>
    </message>
    <message>
        <source>Time of a whole request, from sending to the end of the stream.</source>
        <translation>整个请求的时间，从发出到流结束。</translation>
    </message>
    <message>
        <source>Share of drafted tokens that the model confirmed; without drafts there is none.</source>
        <translation>草稿 token 中被模型确认的比例；没有草稿就没有此值。</translation>
    </message>
    <message>
        <source>How much faster it decodes than Off; below 0 it is slower.</source>
        <translation>解码比“关闭”快多少；小于 0 表示更慢。</translation>
    </message>
    <message>
        <source>Where the true gain lies, 95 times in 100.</source>
        <translation>真实增益所在的范围，100 次中有 95 次如此。</translation>
    </message>
    <message>
        <source>Whether decode is faster or slower than that of Off beyond doubt, by a whole comparison.</source>
        <translation>根据一次完整的比较，解码是否确定比“关闭”更快或更慢。</translation>
    </message>
    <message>
        <source>Tokens of the prompt: how far the context is filled.</source>
        <translation>提示词的 token 数：上下文填充了多少。</translation>
    </message>
    <message>
        <source>Tokens one conversation can hold.</source>
        <translation>一段对话最多容纳的 token 数。</translation>
    </message>
    <message>
        <source>Most tokens drafted in one step.</source>
        <translation>一步最多起草的 token 数。</translation>
    </message>
    <message>
        <source>Whether the request ended with an answer.</source>
        <translation>请求是否以回答结束。</translation>
    </message>
    <message>
        <source>Median of the counted requests.</source>
        <translation>计入的请求的中位数。</translation>
    </message>
    <message>
        <source>Median by text and start, then the geometric mean over the texts; in brackets the range.</source>
        <translation>先按文本和启动取中位数，再对各文本取几何平均；括号内为范围。</translation>
    </message>
    <message>
        <source>{low} to {high} %</source>
        <translation>{low} 至 {high} %</translation>
    </message>
</context>
<context>
    <name>folders</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Cache, sample model</source>
        <translation>缓存与示例模型</translation>
    </message>
</context>
<context>
    <name>gates</name>
    <message>
        <source>passed</source>
        <translation>通过</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>未通过</translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation>尚不清楚</translation>
    </message>
</context>
<context>
    <name>history</name>
    <message>
        <source>outlier</source>
        <translation>离群</translation>
    </message>
    <message>
        <source>deleted</source>
        <translation>已删除</translation>
    </message>
    <message>
        <source>Starred</source>
        <translation>已加星标</translation>
    </message>
    <message>
        <source>Not starred</source>
        <translation>未加星标</translation>
    </message>
    <message>
        <source>The figures of this older run are still being worked out.</source>
        <translation>这次较早运行的指标还在计算中。</translation>
    </message>
    <message>
        <source>Decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>Median of output tokens per second after the first token.</source>
        <translation>首个 token 之后每秒输出 token 数的中位数。</translation>
    </message>
    <message>
        <source>Arm</source>
        <translation>组</translation>
    </message>
    <message>
        <source>Median of all counted requests.</source>
        <translation>所有计入请求的中位数。</translation>
    </message>
    <message>
        <source>Against Off</source>
        <translation>相对关闭</translation>
    </message>
    <message>
        <source>By the verdict, with its 95 % interval.</source>
        <translation>根据结论，附 95 % 区间。</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>首 token</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>Counted requests.</source>
        <translation>计入的请求数。</translation>
    </message>
    <message>
        <source>It was broken off before it came to a verdict.</source>
        <translation>在得出结论前被中断。</translation>
    </message>
    <message>
        <source>It came with a file that holds no verdict.</source>
        <translation>它来自一个没有结论的文件。</translation>
    </message>
    <message>
        <source>Median time from sending to the first piece of the answer.</source>
        <translation>从发出请求到收到第一段回答的时间的中位数。</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>Prompt tokens read per second.</source>
        <translation>每秒读入的提示词 token 数。</translation>
    </message>
    <message>
        <source>Whole request</source>
        <translation>整个请求</translation>
    </message>
    <message>
        <source>Median time from sending to the end of the stream.</source>
        <translation>从发出请求到流结束的时间的中位数。</translation>
    </message>
    <message>
        <source>Accepted drafts</source>
        <translation>接受率</translation>
    </message>
    <message>
        <source>Share of drafted tokens that the model confirmed.</source>
        <translation>模型确认的草稿 token 所占比例。</translation>
    </message>
    <message>
        <source>Tokens a step (L)</source>
        <translation>每步 token 数（L）</translation>
    </message>
    <message>
        <source>Mean number of tokens gained in each step, the model's own included.</source>
        <translation>每一步平均得到的 token 数，包含模型自身的那一个。</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>Highest reading: of the card, or of the engine where there is no card.</source>
        <translation>最高读数：显卡的；没有显卡时为引擎的。</translation>
    </message>
    <message>
        <source>Load time</source>
        <translation>加载时间</translation>
    </message>
    <message>
        <source>From launch to the first completed answer.</source>
        <translation>从启动到完成第一个回答。</translation>
    </message>
    <message>
        <source>Counted requests</source>
        <translation>计入的请求</translation>
    </message>
    <message>
        <source>{counted} of {all}</source>
        <translation>{all} 个中的 {counted} 个</translation>
    </message>
    <message>
        <source>Requests that enter the figures; failed and marked ones do not.</source>
        <translation>进入指标的请求；失败和被标记的不计入。</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Decode rate against that of the first column; Compare shows how sure it is.</source>
        <translation>解码速度与第一列相比；“比较”会显示其可靠程度。</translation>
    </message>
    <message>
        <source>Against the first</source>
        <translation>与第一次相比</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Engine build</source>
        <translation>引擎版本</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>驱动</translation>
    </message>
    <message>
        <source>Power limit</source>
        <translation>功率上限</translation>
    </message>
    <message>
        <source>start {number}</source>
        <translation>第 {number} 次启动</translation>
    </message>
    <message>
        <source>An interval takes {least} medians by text and start, and texts measured in several starts.</source>
        <translation>要得出区间，需要 {least} 个按文本和启动取的中位数，并且文本在多次启动中测量过。</translation>
    </message>
</context>
<context>
    <name>job</name>
    <message>
        <source>measurement</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>comparison</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>search for the best n_max</source>
        <translation>最佳 n_max 搜索</translation>
    </message>
    <message>
        <source>context sweep</source>
        <translation>上下文扫描</translation>
    </message>
    <message>
        <source>self-test</source>
        <translation>自检</translation>
    </message>
    <message>
        <source>soak</source>
        <translation>持续运行</translation>
    </message>
    <message>
        <source>ten in a row</source>
        <translation>连续十个请求</translation>
    </message>
    <message>
        <source>comparison over seeds</source>
        <translation>多种子比较</translation>
    </message>
    <message>
        <source>chat against raw text</source>
        <translation>聊天与纯文本对比</translation>
    </message>
    <message>
        <source>fill test</source>
        <translation>填充测试</translation>
    </message>
    <message>
        <source>import</source>
        <translation>导入</translation>
    </message>
</context>
<context>
    <name>ladder</name>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>in force</source>
        <translation>生效中</translation>
    </message>
    <message>
        <source>waiting for the next try</source>
        <translation>等待下次尝试</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>{preset}, context {context}</source>
        <translation>{preset}，上下文 {context}</translation>
    </message>
    <message>
        <source>{setting}: {before} → {after}</source>
        <translation>{setting}：{before} → {after}</translation>
    </message>
    <message>
        <source>Model: {before} → {after}</source>
        <translation>模型：{before} → {after}</translation>
    </message>
    <message>
        <source>{change} decode</source>
        <translation>解码 {change}</translation>
    </message>
    <message>
        <source>{asked} was asked for, but: {what}</source>
        <translation>所要求的是“{asked}”，但：{what}</translation>
    </message>
    <message>
        <source>You rolled back.</source>
        <translation>您回退了。</translation>
    </message>
    <message>
        <source>Because: {why}</source>
        <translation>原因：{why}</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>lists</name>
    <message>
        <source>{name}: {text}</source>
        <translation>{name}：{text}</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
</context>
<context>
    <name>memory</name>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Recurrent state</source>
        <translation>循环状态</translation>
    </message>
    <message>
        <source>Compute buffers</source>
        <translation>计算缓冲区</translation>
    </message>
    <message>
        <source>Overhead of driver and engine</source>
        <translation>驱动和引擎的开销</translation>
    </message>
    <message>
        <source>MTP: weights of the head</source>
        <translation>MTP：头的权重</translation>
    </message>
    <message>
        <source>MTP: KV cache</source>
        <translation>MTP：KV 缓存</translation>
    </message>
    <message>
        <source>MTP: copies of the recurrent state</source>
        <translation>MTP：循环状态的副本</translation>
    </message>
    <message>
        <source>MTP: compute buffers</source>
        <translation>MTP：计算缓冲区</translation>
    </message>
    <message>
        <source>computed</source>
        <translation>计算得出</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>估计</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>remembered</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>Follows exactly from the header of the file.</source>
        <translation>由文件头精确算出。</translation>
    </message>
    <message>
        <source>A guess; the first launch replaces it by the engine's own figure.</source>
        <translation>猜测值；首次启动后由引擎自己的数字取代。</translation>
    </message>
    <message>
        <source>The engine's own figure of this launch.</source>
        <translation>引擎本次启动给出的数字。</translation>
    </message>
    <message>
        <source>The engine's own figure of an earlier launch of this model, build and settings.</source>
        <translation>引擎以前以相同模型、版本和设置启动时给出的数字。</translation>
    </message>
    <message>
        <source>Read from the driver or the system just now.</source>
        <translation>刚刚从驱动或系统读取。</translation>
    </message>
    <message>
        <source>Could not be read.</source>
        <translation>无法读取。</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>紧张</translation>
    </message>
    <message>
        <source>too large</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>main memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>needs {used} GiB</source>
        <translation>需要 {used} GiB</translation>
    </message>
    <message>
        <source>{used} of {total} GiB</source>
        <translation>{used} / {total} GiB</translation>
    </message>
    <message>
        <source>{figures} of main memory</source>
        <translation>{figures}（主内存）</translation>
    </message>
    <message>
        <source>{figures}, {mtp} from MTP</source>
        <translation>{figures}，其中 MTP {mtp}</translation>
    </message>
    <message>
        <source>{figures} (estimated)</source>
        <translation>{figures}（估计）</translation>
    </message>
    <message>
        <source>est. {figures}</source>
        <translation>估计 {figures}</translation>
    </message>
    <message>
        <source>Needs {need}; how much memory is free could not be read, so nothing is said of a fit.</source>
        <translation>需要 {need}；无法读取空闲内存，因此不判断是否放得下。</translation>
    </message>
    <message>
        <source>Too large: {over} more than there is in {where}.</source>
        <translation>放不下：比{where}多出 {over}。</translation>
    </message>
    <message>
        <source>Tight: {used} of {total} ({where}); {left} stay free, {keep} should.</source>
        <translation>紧张：{used} / {total}（{where}）；剩余 {left}，应保留 {keep}。</translation>
    </message>
    <message>
        <source>Fits: {used} of {total} ({where}); {left} stay free, {keep} should.</source>
        <translation>放得下：{used} / {total}（{where}）；剩余 {left}，应保留 {keep}。</translation>
    </message>
    <message>
        <source>Not even the smallest context fits.</source>
        <translation>最小的上下文也放不下。</translation>
    </message>
    <message>
        <source>Largest context that fits like this: {ctx}.</source>
        <translation>这样放得下的最大上下文：{ctx}。</translation>
    </message>
    <message>
        <source>MTP adds {mtp} (hatched).</source>
        <translation>MTP 增加 {mtp}（斜线部分）。</translation>
    </message>
    <message>
        <source>The bar from left to right: other programs (grey), the model's parts (ever fainter), MTP (hatched); dotted is what should stay free ({keep}), the upright line all there is.</source>
        <translation>条形从左到右：其他程序（灰色）、模型的各部分（依次变淡）、MTP（斜线）；点状区域是应当留空的部分（{keep}），竖线是全部容量。</translation>
    </message>
    <message>
        <source>The file does not say: {keys}. Parts may be too small.</source>
        <translation>文件中没有：{keys}。有些部分可能偏小。</translation>
    </message>
    <message>
        <source>Other programs</source>
        <translation>其他程序</translation>
    </message>
    <message>
        <source>By the engine's own log:</source>
        <translation>据引擎自己的日志：</translation>
    </message>
</context>
<context>
    <name>messages</name>
    <message>
        <source>The folder {path} cannot be written: {reason}.</source>
        <translation>无法写入文件夹 {path}：{reason}。</translation>
    </message>
    <message>
        <source>Choose another folder with --base-dir or QTUNE_HOME, or free some space.</source>
        <translation>请用 --base-dir 或 QTUNE_HOME 选择其他文件夹，或腾出一些空间。</translation>
    </message>
    <message>
        <source>This installation of qtune is incomplete: {path} lacks its data.</source>
        <translation>qtune 的安装不完整：{path} 缺少数据。</translation>
    </message>
    <message>
        <source>Install qtune again.</source>
        <translation>请重新安装 qtune。</translation>
    </message>
    <message>
        <source>The settings file was damaged and has been set aside as {path}.</source>
        <translation>设置文件已损坏，已另存为 {path}。</translation>
    </message>
    <message>
        <source>The copy from before is in force if there is one; your history is not touched.</source>
        <translation>如有此前的副本则已启用；您的历史记录未受影响。</translation>
    </message>
    <message>
        <source>The settings file {path} cannot be read: {reason}.</source>
        <translation>无法读取设置文件 {path}：{reason}。</translation>
    </message>
    <message>
        <source>The defaults are in force; make the file readable and start again.</source>
        <translation>当前使用默认设置；请让该文件可读后重新启动。</translation>
    </message>
    <message>
        <source>There is no file at {path}.</source>
        <translation>{path} 处没有文件。</translation>
    </message>
    <message>
        <source>Choose the model again; it may have been moved or renamed.</source>
        <translation>请重新选择模型；它可能被移动或改名了。</translation>
    </message>
    <message>
        <source>{path} is a folder, not a model file.</source>
        <translation>{path} 是文件夹，不是模型文件。</translation>
    </message>
    <message>
        <source>Choose a file that ends in .gguf inside it.</source>
        <translation>请选择其中以 .gguf 结尾的文件。</translation>
    </message>
    <message>
        <source>The file {path} cannot be read: {reason}.</source>
        <translation>无法读取文件 {path}：{reason}。</translation>
    </message>
    <message>
        <source>Check its permissions or copy it to a folder of yours.</source>
        <translation>请检查其权限，或把它复制到您自己的文件夹。</translation>
    </message>
    <message>
        <source>{path} is not a GGUF model file: {reason}.</source>
        <translation>{path} 不是 GGUF 模型文件：{reason}。</translation>
    </message>
    <message>
        <source>llama-server needs a file in GGUF format; choose one that ends in .gguf.</source>
        <translation>llama-server 需要 GGUF 格式的文件；请选择以 .gguf 结尾的文件。</translation>
    </message>
    <message>
        <source>{path} is incomplete: {reason}.</source>
        <translation>{path} 不完整：{reason}。</translation>
    </message>
    <message>
        <source>The download probably broke off; fetch the file again.</source>
        <translation>可能是下载中断了；请重新下载该文件。</translation>
    </message>
    <message>
        <source>The header of {path} cannot be used: {reason}.</source>
        <translation>{path} 的文件头无法使用：{reason}。</translation>
    </message>
    <message>
        <source>Fetch the file again, or choose another one.</source>
        <translation>请重新下载该文件，或另选一个。</translation>
    </message>
    <message>
        <source>{path} is not a language model but something else ({kind}).</source>
        <translation>{path} 不是语言模型，而是其他内容（{kind}）。</translation>
    </message>
    <message>
        <source>Choose the main model file.</source>
        <translation>请选择主模型文件。</translation>
    </message>
    <message>
        <source>The search for models ended after {seconds} s; there may be more.</source>
        <translation>查找模型在 {seconds} 秒后结束；可能还有更多。</translation>
    </message>
    <message>
        <source>Choose a file yourself if yours is not in the list.</source>
        <translation>如果列表中没有您的文件，请自行选择。</translation>
    </message>
    <message>
        <source>{path} holds only an MTP head, not a whole model.</source>
        <translation>{path} 只含 MTP 头，不是完整的模型。</translation>
    </message>
    <message>
        <source>Choose the main model file; the head is used beside it.</source>
        <translation>请选择主模型文件；MTP 头与它配合使用。</translation>
    </message>
    <message>
        <source>{path} has no MTP head, so MTP cannot be switched on.</source>
        <translation>{path} 没有 MTP 头，因此无法开启 MTP。</translation>
    </message>
    <message>
        <source>Choose the preset Off, or a GGUF of this model that kept its MTP head.</source>
        <translation>请选择预设“关闭”，或该模型保留了 MTP 头的 GGUF 文件。</translation>
    </message>
    <message>
        <source>The sample model could not be written to {path}: {reason}.</source>
        <translation>无法把示例模型写入 {path}：{reason}。</translation>
    </message>
    <message>
        <source>About 300 MB of free space are needed there.</source>
        <translation>那里需要约 300 MB 的可用空间。</translation>
    </message>
    <message>
        <source>No llama-server was found.</source>
        <translation>没有找到 llama-server。</translation>
    </message>
    <message>
        <source>Choose the program yourself, or install the bundled engine: pip install "qtune[engine]".</source>
        <translation>请自行选择该程序，或安装内置引擎：pip install "qtune[engine]"。</translation>
    </message>
    <message>
        <source>There is no program at {path}.</source>
        <translation>{path} 处没有程序。</translation>
    </message>
    <message>
        <source>Choose llama-server again; it may have been moved.</source>
        <translation>请重新选择 llama-server；它可能被移动了。</translation>
    </message>
    <message>
        <source>{path} is a folder without a llama-server in it.</source>
        <translation>{path} 是文件夹，其中没有 llama-server。</translation>
    </message>
    <message>
        <source>Choose the program llama-server itself.</source>
        <translation>请直接选择程序 llama-server。</translation>
    </message>
    <message>
        <source>{path} could not be started: {reason}.</source>
        <translation>无法启动 {path}：{reason}。</translation>
    </message>
    <message>
        <source>Check that it is a program for this computer and may be executed.</source>
        <translation>请确认它是适用于这台电脑的程序，并且可以执行。</translation>
    </message>
    <message>
        <source>{path} does not answer like llama-server.</source>
        <translation>{path} 的应答不像 llama-server。</translation>
    </message>
    <message>
        <source>Choose the program llama-server of llama.cpp, not another tool.</source>
        <translation>请选择 llama.cpp 的 llama-server，而不是其他工具。</translation>
    </message>
    <message>
        <source>{path} gave no answer within {seconds} s.</source>
        <translation>{path} 在 {seconds} 秒内没有应答。</translation>
    </message>
    <message>
        <source>{path} did not list its devices within {seconds} s.</source>
        <translation>{path} 在 {seconds} 秒内没有列出设备。</translation>
    </message>
    <message>
        <source>The driver of the graphics card may hang; restart the computer.</source>
        <translation>显卡驱动可能卡住了；请重启电脑。</translation>
    </message>
    <message>
        <source>This llama-server ({version}) does not know MTP.</source>
        <translation>此 llama-server（{version}）不支持 MTP。</translation>
    </message>
    <message>
        <source>Use a build from June 2026 or later, or the preset Off.</source>
        <translation>请使用 2026 年 6 月或更新的版本，或选择预设“关闭”。</translation>
    </message>
    <message>
        <source>The bundled engine is not installed.</source>
        <translation>没有安装内置引擎。</translation>
    </message>
    <message>
        <source>Install it with: pip install "qtune[engine]".</source>
        <translation>安装方法：pip install "qtune[engine]"。</translation>
    </message>
    <message>
        <source>This llama-server has no option for {setting}; it was left out.</source>
        <translation>此 llama-server 没有“{setting}”选项，已略去。</translation>
    </message>
    <message>
        <source>{setting} is written as {spelling} for this llama-server.</source>
        <translation>对此 llama-server，“{setting}”写作 {spelling}。</translation>
    </message>
    <message>
        <source>{value} is not possible for {setting}; allowed is {allowed}.</source>
        <translation>“{setting}”不能是 {value}；允许的值为 {allowed}。</translation>
    </message>
    <message>
        <source>Give one of the allowed values, or leave the setting out.</source>
        <translation>请给出允许的值之一，或不设置该项。</translation>
    </message>
    <message>
        <source>There is no setting called {setting}.</source>
        <translation>没有名为 {setting} 的设置。</translation>
    </message>
    <message>
        <source>Known settings: {known}.</source>
        <translation>已知的设置：{known}。</translation>
    </message>
    <message>
        <source>{setting} cannot be set here: the preset {preset} fixes it itself.</source>
        <translation>此处不能设置 {setting}：预设 {preset} 已固定该值。</translation>
    </message>
    <message>
        <source>Leave it out, or use another preset.</source>
        <translation>去掉该设置，或换用其他预设。</translation>
    </message>
    <message>
        <source>{setting} cannot be set here: the sweep decides it itself.</source>
        <translation>此处不能设置 {setting}：它由扫描自行决定。</translation>
    </message>
    <message>
        <source>Leave it out.</source>
        <translation>去掉该设置。</translation>
    </message>
    <message>
        <source>The physical batch ({ubatch}) must be larger than n_max ({n_max}).</source>
        <translation>物理批大小（{ubatch}）必须大于 n_max（{n_max}）。</translation>
    </message>
    <message>
        <source>Raise ubatch or lower n_max.</source>
        <translation>请增大 ubatch 或减小 n_max。</translation>
    </message>
    <message>
        <source>n_min ({n_min}) is above n_max ({n_max}), so nothing would ever be drafted.</source>
        <translation>n_min（{n_min}）大于 n_max（{n_max}），因此永远不会产生草稿。</translation>
    </message>
    <message>
        <source>A quantised V cache needs flash attention, which is switched off.</source>
        <translation>量化的 V 缓存需要 Flash Attention，但它已关闭。</translation>
    </message>
    <message>
        <source>There is no preset called {preset}.</source>
        <translation>没有名为 {preset} 的预设。</translation>
    </message>
    <message>
        <source>Known presets: {known}.</source>
        <translation>已有的预设：{known}。</translation>
    </message>
    <message>
        <source>There is no prompt called {prompt}.</source>
        <translation>没有名为 {prompt} 的提示词。</translation>
    </message>
    <message>
        <source>Known prompts: {known}; or give a text file as @FILE.</source>
        <translation>已有的提示词：{known}；也可以用 @文件 指定文本文件。</translation>
    </message>
    <message>
        <source>The prompt file {path} cannot be read: {reason}.</source>
        <translation>无法读取提示词文件 {path}：{reason}。</translation>
    </message>
    <message>
        <source>Give a UTF-8 text file.</source>
        <translation>请提供 UTF-8 文本文件。</translation>
    </message>
    <message>
        <source>The engine was stopped.</source>
        <translation>引擎已停止。</translation>
    </message>
    <message>
        <source>The engine ended by itself with status {status}: {line}</source>
        <translation>引擎自行退出，状态码 {status}：{line}</translation>
    </message>
    <message>
        <source>The engine log holds its last words.</source>
        <translation>引擎日志中有它最后的输出。</translation>
    </message>
    <message>
        <source>The engine ended by itself with status {status} and gave no reason.</source>
        <translation>引擎自行退出，状态码 {status}，没有说明原因。</translation>
    </message>
    <message>
        <source>Try the preset Off, or another build of llama-server.</source>
        <translation>请试试“关闭”预设，或其他 llama-server 版本。</translation>
    </message>
    <message>
        <source>The engine crashed with {signal}: {line}</source>
        <translation>引擎崩溃（{signal}）：{line}</translation>
    </message>
    <message>
        <source>The engine crashed with {signal} and gave no reason.</source>
        <translation>引擎崩溃（{signal}），没有说明原因。</translation>
    </message>
    <message>
        <source>The engine was killed from outside.</source>
        <translation>引擎被外部强行终止。</translation>
    </message>
    <message>
        <source>The system may have run out of memory; try a smaller context or model.</source>
        <translation>系统内存可能已用尽；请尝试更小的上下文或模型。</translation>
    </message>
    <message>
        <source>The engine was ended from outside ({signal}).</source>
        <translation>引擎被外部结束（{signal}）。</translation>
    </message>
    <message>
        <source>The engine ran out of memory: {line}</source>
        <translation>引擎内存不足：{line}</translation>
    </message>
    <message>
        <source>Try MTP off, a smaller context, or a smaller quantisation.</source>
        <translation>请尝试关闭 MTP、减小上下文，或使用更小的量化。</translation>
    </message>
    <message>
        <source>The engine refused an argument: {line}</source>
        <translation>引擎拒绝了一个参数：{line}</translation>
    </message>
    <message>
        <source>This build may be too old or too new for that setting.</source>
        <translation>此版本可能太旧或太新，不支持该设置。</translation>
    </message>
    <message>
        <source>Port {port} is taken by another program.</source>
        <translation>端口 {port} 已被其他程序占用。</translation>
    </message>
    <message>
        <source>Start again: another port will be chosen.</source>
        <translation>请重新启动：会改用其他端口。</translation>
    </message>
    <message>
        <source>The engine could not load the model: {line}</source>
        <translation>引擎无法加载模型：{line}</translation>
    </message>
    <message>
        <source>The file may be damaged, or too new for this build.</source>
        <translation>文件可能已损坏，或对此版本来说太新。</translation>
    </message>
    <message>
        <source>The model has no usable MTP head: {line}</source>
        <translation>模型没有可用的 MTP 头：{line}</translation>
    </message>
    <message>
        <source>Choose the preset Off, or a file that kept its MTP head.</source>
        <translation>请选择预设“关闭”，或保留了 MTP 头的文件。</translation>
    </message>
    <message>
        <source>The engine was not ready after {seconds} s.</source>
        <translation>{seconds} 秒后引擎仍未就绪。</translation>
    </message>
    <message>
        <source>A large model on a slow disk can take long; look at the engine log.</source>
        <translation>大模型放在慢速磁盘上可能需要很久；请查看引擎日志。</translation>
    </message>
    <message>
        <source>The start was cancelled.</source>
        <translation>启动已取消。</translation>
    </message>
    <message>
        <source>Another server answers on port {port}; it was left alone.</source>
        <translation>端口 {port} 上是另一个服务器在应答；未动它。</translation>
    </message>
    <message>
        <source>The engine came up but could not answer: {reason}</source>
        <translation>引擎已启动但无法回答：{reason}</translation>
    </message>
    <message>
        <source>The engine log holds the details.</source>
        <translation>详情见引擎日志。</translation>
    </message>
    <message>
        <source>A server is already running or starting.</source>
        <translation>已有服务器正在运行或启动。</translation>
    </message>
    <message>
        <source>Stop it first.</source>
        <translation>请先停止它。</translation>
    </message>
    <message>
        <source>No server is running.</source>
        <translation>没有正在运行的服务器。</translation>
    </message>
    <message>
        <source>Start it first.</source>
        <translation>请先启动它。</translation>
    </message>
    <message>
        <source>{setting}: asked for {requested}, the engine runs with {effective}.</source>
        <translation>{setting}：要求的是 {requested}，引擎实际使用 {effective}。</translation>
    </message>
    <message>
        <source>The engine runs with the model {effective} instead of {requested}.</source>
        <translation>引擎运行的模型是 {effective}，而不是 {requested}。</translation>
    </message>
    <message>
        <source>The engine also took settings from {path}.</source>
        <translation>引擎还从 {path} 读取了设置。</translation>
    </message>
    <message>
        <source>What qtune does not set itself may come from there.</source>
        <translation>qtune 没有指定的设置可能来自那里。</translation>
    </message>
    <message>
        <source>The engine reduced the context from {requested} to {effective} tokens.</source>
        <translation>引擎把上下文从 {requested} 减到 {effective} 个 token。</translation>
    </message>
    <message>
        <source>The engine runs with synthetic acceptance; its figures are not real.</source>
        <translation>引擎使用了合成的接受率；其结果不真实。</translation>
    </message>
    <message>
        <source>Remove the option --spec-synth from llama.cpp's config file.</source>
        <translation>请从 llama.cpp 的配置文件中去掉 --spec-synth 选项。</translation>
    </message>
    <message>
        <source>MTP was asked for but is not active: the server does not speculate.</source>
        <translation>要求开启 MTP，但它没有生效：服务器没有进行推测。</translation>
    </message>
    <message>
        <source>The figures are those of a server without MTP; its log says why.</source>
        <translation>这些是没有 MTP 的服务器的结果；原因见日志。</translation>
    </message>
    <message>
        <source>MTP was asked for but is not active: no token was drafted.</source>
        <translation>要求开启 MTP，但它没有生效：没有产生任何草稿 token。</translation>
    </message>
    <message>
        <source>The server refused the request ({status}): {reason}</source>
        <translation>服务器拒绝了请求（{status}）：{reason}</translation>
    </message>
    <message>
        <source>The server reported an error in mid-answer: {reason}</source>
        <translation>服务器在回答途中报错：{reason}</translation>
    </message>
    <message>
        <source>The connection to the server broke: {reason}</source>
        <translation>与服务器的连接中断：{reason}</translation>
    </message>
    <message>
        <source>The answer stopped before its end was announced.</source>
        <translation>回答在宣布结束之前就停止了。</translation>
    </message>
    <message>
        <source>The server sent nothing for {seconds} s.</source>
        <translation>服务器 {seconds} 秒没有发送任何内容。</translation>
    </message>
    <message>
        <source>It may be stuck; stop it and start again.</source>
        <translation>它可能卡住了；请停止后重新启动。</translation>
    </message>
    <message>
        <source>Every request failed.</source>
        <translation>所有请求都失败了。</translation>
    </message>
    <message>
        <source>The answer was empty.</source>
        <translation>回答为空。</translation>
    </message>
    <message>
        <source>The server sent something that is not the OpenAI protocol: {reason}</source>
        <translation>服务器发来的内容不符合 OpenAI 协议：{reason}</translation>
    </message>
    <message>
        <source>The request was cancelled.</source>
        <translation>请求已取消。</translation>
    </message>
    <message>
        <source>{arm}: loading the model</source>
        <translation>{arm}：正在加载模型</translation>
    </message>
    <message>
        <source>{arm}: warming up, request {number}</source>
        <translation>{arm}：预热，第 {number} 个请求</translation>
    </message>
    <message>
        <source>{arm}: request {number} of {runs}</source>
        <translation>{arm}：第 {number}/{runs} 个请求</translation>
    </message>
    <message>
        <source>{arm}: stopping the engine</source>
        <translation>{arm}：正在停止引擎</translation>
    </message>
    <message>
        <source>This experiment cannot be resumed: what was asked is not in its record.</source>
        <translation>无法继续此实验：记录中没有当时的要求。</translation>
    </message>
    <message>
        <source>Start it again; its requests stay in the history.</source>
        <translation>请重新开始；其请求会保留在历史记录中。</translation>
    </message>
    <message>
        <source>This experiment cannot be resumed: {what} has changed since.</source>
        <translation>无法继续此实验：此后{what}已改变。</translation>
    </message>
    <message>
        <source>A depth of {depth} tokens with its answer exceeds the model's context of {trained}.</source>
        <translation>{depth} 个 token 的深度加上回答，超出了模型的上下文 {trained}。</translation>
    </message>
    <message>
        <source>Give smaller depths.</source>
        <translation>请给出更小的深度。</translation>
    </message>
    <message>
        <source>Another llama-server is running; it may slow what is measured.</source>
        <translation>另有一个 llama-server 正在运行，可能拖慢测量。</translation>
    </message>
    <message>
        <source>Stop it for a fair comparison.</source>
        <translation>要公平比较，请先停止它。</translation>
    </message>
    <message>
        <source>The computer runs on battery, which lowers and varies its speed.</source>
        <translation>电脑正在使用电池，速度会降低且不稳定。</translation>
    </message>
    <message>
        <source>Plug it in.</source>
        <translation>请接通电源。</translation>
    </message>
    <message>
        <source>Other programs keep the processor busy ({percent} %).</source>
        <translation>其他程序正占用处理器（{percent} %）。</translation>
    </message>
    <message>
        <source>Close what is not needed, or expect wide intervals.</source>
        <translation>请关闭不需要的程序，否则区间会很宽。</translation>
    </message>
    <message>
        <source>The card is already at {celsius} °C.</source>
        <translation>显卡温度已达 {celsius} °C。</translation>
    </message>
    <message>
        <source>Let it cool down, or the first arms look faster than the last.</source>
        <translation>请先让它降温，否则先测的组会显得比后测的快。</translation>
    </message>
    <message>
        <source>No unfinished experiment was found.</source>
        <translation>没有找到未完成的实验。</translation>
    </message>
    <message>
        <source>Not finished: the {job} of {date}.</source>
        <translation>{date} 的{job}没有完成。</translation>
    </message>
    <message>
        <source>Going on measures only what is still missing.</source>
        <translation>继续时只测量尚缺的部分。</translation>
    </message>
    <message>
        <source>A measurement is already in progress.</source>
        <translation>已有测量正在进行。</translation>
    </message>
    <message>
        <source>Wait for it or cancel it first.</source>
        <translation>请等它结束或先取消它。</translation>
    </message>
    <message>
        <source>{tokens} prompt tokens came from the cache, so the first token is too early.</source>
        <translation>有 {tokens} 个提示词 token 来自缓存，因此首 token 偏早。</translation>
    </message>
    <message>
        <source>The answer has only {tokens} tokens; too short for a rate.</source>
        <translation>回答只有 {tokens} 个 token，太短，无法计算速率。</translation>
    </message>
    <message>
        <source>The settings in force could not be verified.</source>
        <translation>无法核实生效的设置。</translation>
    </message>
    <message>
        <source>The server gave no timings; the client's own clock is used.</source>
        <translation>服务器没有给出计时；改用客户端自己的时钟。</translation>
    </message>
    <message>
        <source>No NVIDIA GPU found: {reason}.</source>
        <translation>没有找到 NVIDIA GPU：{reason}。</translation>
    </message>
    <message>
        <source>Only the bundled engine was found; it runs on the processor.</source>
        <translation>只找到内置引擎；它在处理器上运行。</translation>
    </message>
    <message>
        <source>To measure your card, choose a llama-server built for it with --engine.</source>
        <translation>要测量您的显卡，请用 --engine 选择为它构建的 llama-server。</translation>
    </message>
    <message>
        <source>No engine found here can use the graphics card.</source>
        <translation>这里找到的引擎都不能使用显卡。</translation>
    </message>
    <message>
        <source>Choose a llama-server built for CUDA, ROCm or Vulkan with --engine.</source>
        <translation>请用 --engine 选择为 CUDA、ROCm 或 Vulkan 构建的 llama-server。</translation>
    </message>
    <message>
        <source>No model of yours was found in the usual folders.</source>
        <translation>在常用文件夹中没有找到您的模型。</translation>
    </message>
    <message>
        <source>Give one with --model FILE, or try the sample model with --sample.</source>
        <translation>请用 --model 文件 指定，或用 --sample 试用示例模型。</translation>
    </message>
    <message>
        <source>None of the models found has an MTP head.</source>
        <translation>找到的模型都没有 MTP 头。</translation>
    </message>
    <message>
        <source>Look for a GGUF of Qwen3.5, Qwen3.6 or another MTP model that kept its head.</source>
        <translation>请寻找保留了 MTP 头的 Qwen3.5、Qwen3.6 或其他 MTP 模型的 GGUF 文件。</translation>
    </message>
    <message>
        <source>The history {path} cannot be written: {reason}.</source>
        <translation>无法写入历史记录 {path}：{reason}。</translation>
    </message>
    <message>
        <source>Nothing is measured that could not be kept; choose another folder.</source>
        <translation>无法保存的内容不会测量；请选择其他文件夹。</translation>
    </message>
    <message>
        <source>The history {path} was written by a newer qtune (schema {revision}).</source>
        <translation>历史记录 {path} 由更新版本的 qtune 写入（结构版本 {revision}）。</translation>
    </message>
    <message>
        <source>Update qtune; nothing was touched.</source>
        <translation>请更新 qtune；未做任何改动。</translation>
    </message>
    <message>
        <source>Indication: {arm} decodes {ratio_gain} % against off ({n} requests each); too few for a verdict.</source>
        <translation>仅供参考：“{arm}”的解码与“关闭”相比 {ratio_gain} %（各 {n} 个请求）；不足以得出结论。</translation>
    </message>
    <message>
        <source>Seed {seed}: {arm} {ratio_gain} % against off, {rate} accepted.</source>
        <translation>种子 {seed}：“{arm}”与“关闭”相比 {ratio_gain} %，接受率 {rate}。</translation>
    </message>
    <message>
        <source>The history was damaged and has been set aside as {path}.</source>
        <translation>历史记录已损坏，已另存为 {path}。</translation>
    </message>
    <message>
        <source>A new one was begun; the damaged file is kept for rescue.</source>
        <translation>已新建一个；损坏的文件保留以便抢救。</translation>
    </message>
    <message>
        <source>{path} is a database of another program.</source>
        <translation>{path} 是其他程序的数据库。</translation>
    </message>
    <message>
        <source>Choose another folder; the file was not touched.</source>
        <translation>请选择其他文件夹；该文件未被改动。</translation>
    </message>
    <message>
        <source>The history {path} cannot be read: {reason}.</source>
        <translation>无法读取历史记录 {path}：{reason}。</translation>
    </message>
    <message>
        <source>Restart qtune: a damaged history is set aside, never deleted.</source>
        <translation>请重启 qtune：损坏的历史记录会另存，绝不删除。</translation>
    </message>
    <message>
        <source>The history {path} is on a network share, where it is slower.</source>
        <translation>历史记录 {path} 位于网络共享上，速度较慢。</translation>
    </message>
    <message>
        <source>Use it from one computer at a time, or choose a local folder.</source>
        <translation>请同一时间只在一台电脑上使用，或选择本地文件夹。</translation>
    </message>
    <message>
        <source>Unfinished runs found and marked interrupted: {count}.</source>
        <translation>发现未完成的运行，已标记为中断：{count}。</translation>
    </message>
    <message>
        <source>Their finished requests are kept.</source>
        <translation>其中已完成的请求会保留。</translation>
    </message>
    <message>
        <source>qtune ended while this run was being measured.</source>
        <translation>测量这次运行时 qtune 结束了。</translation>
    </message>
    <message>
        <source>The measurement was cancelled; what was measured is kept.</source>
        <translation>测量已取消；已测量的内容会保留。</translation>
    </message>
    <message>
        <source>MTP was not active in {arm}, so nothing can be said about it.</source>
        <translation>“{arm}”中 MTP 没有生效，因此无法对它下结论。</translation>
    </message>
    <message>
        <source>Nothing can be said: no request of {arm} counted. {reason}</source>
        <translation>无法得出结论：“{arm}”没有一个请求计入结果。{reason}</translation>
    </message>
    <message>
        <source>Try another prompt, or a longer answer.</source>
        <translation>请换一个提示词，或让回答更长。</translation>
    </message>
    <message>
        <source>Nothing to compare: measure off and one other preset together.</source>
        <translation>没有可比较的内容：请同时测量“关闭”和另一个预设。</translation>
    </message>
    <message>
        <source>Each preset was started once and measured in turn, so drift of the machine counts in.</source>
        <translation>每个预设只启动一次并依次测量，因此机器状态的漂移也包含在内。</translation>
    </message>
    <message>
        <source>Without the chat template the same text decodes at {raw} instead of {chat} tok/s, with {raw_rate} instead of {chat_rate} accepted.</source>
        <translation>不用聊天模板时，同样的文本解码速度为 {raw} tok/s，而不是 {chat} tok/s；接受率为 {raw_rate}，而不是 {chat_rate}。</translation>
    </message>
    <message>
        <source>Chat programs use the template, so only figures with it say what you will see.</source>
        <translation>聊天程序会使用模板，因此只有使用模板的结果才代表您的实际体验。</translation>
    </message>
    <message>
        <source>This is the sample model: its speed says nothing about your graphics card.</source>
        <translation>这是示例模型：它的速度不能说明您的显卡如何。</translation>
    </message>
    <message>
        <source>Closing: the engine is being stopped, and what was measured is kept.</source>
        <translation>正在关闭：正在停止引擎，已测量的内容会保留。</translation>
    </message>
    <message>
        <source>Something in qtune itself went wrong ({kind}).</source>
        <translation>qtune 自身出了问题（{kind}）。</translation>
    </message>
    <message>
        <source>The details are in the log file: {path}</source>
        <translation>详情见日志文件：{path}</translation>
    </message>
    <message>
        <source>qtune is already open on these folders but does not answer.</source>
        <translation>已有 qtune 在使用这些文件夹，但它没有响应。</translation>
    </message>
    <message>
        <source>Close it, or choose other folders with --base-dir.</source>
        <translation>请关闭它，或用 --base-dir 选择其他文件夹。</translation>
    </message>
    <message>
        <source>There is no display, so no window can be opened.</source>
        <translation>没有显示器，因此无法打开窗口。</translation>
    </message>
    <message>
        <source>Use the terminal, for example: qtune measure --sample</source>
        <translation>请使用终端，例如：qtune measure --sample</translation>
    </message>
    <message>
        <source>The window cannot be opened: {reason}.</source>
        <translation>无法打开窗口：{reason}。</translation>
    </message>
    <message>
        <source>On Debian or Ubuntu: sudo apt-get install {packages}</source>
        <translation>在 Debian 或 Ubuntu 上：sudo apt-get install {packages}</translation>
    </message>
    <message>
        <source>No difference: nothing measured decodes faster than off beyond doubt, so off stays.</source>
        <translation>无差别：没有哪个设置的解码确实比“关闭”快，因此保持关闭。</translation>
    </message>
    <message>
        <source>Not for everything: a gain beyond doubt only for {where}; off stays for mixed use.</source>
        <translation>并非处处有用：只有{where}确有提升；混合使用时保持关闭。</translation>
    </message>
    <message>
        <source>Not worth it: even {arm} decodes {loss} % slower than off.</source>
        <translation>不值得：即使“{arm}”的解码也比“关闭”慢 {loss} %。</translation>
    </message>
    <message>
        <source>{arm} decodes {gain} % faster, but this workload finishes {loss} % later.</source>
        <translation>“{arm}”的解码快 {gain} %，但整个请求晚 {loss} % 完成。</translation>
    </message>
    <message>
        <source>Not comparable: the answers differ too much in length.</source>
        <translation>无法比较：回答长度相差太大。</translation>
    </message>
    <message>
        <source>Use the same answer length in every arm.</source>
        <translation>请让各组的回答长度相同。</translation>
    </message>
    <message>
        <source>Close other programs, let the machine cool down, and try again.</source>
        <translation>请关闭其他程序，让电脑降温，然后重试。</translation>
    </message>
    <message>
        <source>{arm} and {other} are tied; the simpler one wins.</source>
        <translation>“{arm}”与“{other}”不分上下；取较简单的一个。</translation>
    </message>
    <message>
        <source>{arm}: the prompt is read {loss} % slower.</source>
        <translation>“{arm}”：读取提示词慢 {loss} %。</translation>
    </message>
    <message>
        <source>{arm}: the whole request takes {loss} % longer at these lengths.</source>
        <translation>“{arm}”：按这样的长度，整个请求多用 {loss} % 的时间。</translation>
    </message>
    <message>
        <source>{arm}: finishes earlier only with answers of more than about {tokens} tokens.</source>
        <translation>“{arm}”：回答超过约 {tokens} 个 token 时才更早完成。</translation>
    </message>
    <message>
        <source>{arm}: the gain is less than twice what {base} or {arm} vary from start to start ({cv} %).</source>
        <translation>“{arm}”：提升不到“{base}”或“{arm}”各次启动间波动（{cv} %）的两倍。</translation>
    </message>
    <message>
        <source>{prompt} was left out: {arm} answered with {tokens} tokens, the other with {base_tokens}.</source>
        <translation>未计入“{prompt}”：“{arm}”的回答有 {tokens} 个 token，另一方为 {base_tokens} 个。</translation>
    </message>
    <message>
        <source>{arm} could not be measured to the end: {reason}</source>
        <translation>“{arm}”未能测完：{reason}</translation>
    </message>
    <message>
        <source>{arm} was not measured.</source>
        <translation>没有测量“{arm}”。</translation>
    </message>
    <message>
        <source>{arm}: only {n} requests counted; a verdict wants at least {least}.</source>
        <translation>“{arm}”：只有 {n} 个请求计入；下结论至少需要 {least} 个。</translation>
    </message>
    <message>
        <source>{arm}: requests that do not count: {n}.</source>
        <translation>“{arm}”：未计入的请求：{n}。</translation>
    </message>
    <message>
        <source>{arm}: the settings in force could not be verified.</source>
        <translation>“{arm}”：无法核实生效的设置。</translation>
    </message>
    <message>
        <source>{arm} differs from off in more than MTP: {settings}.</source>
        <translation>“{arm}”与“关闭”的不同不只是 MTP：{settings}。</translation>
    </message>
    <message>
        <source>{arm} is worth it: decode {off} -&gt; {on} tok/s, {ratio_gain} % ({low_gain} to {high_gain} %).</source>
        <translation>“{arm}”值得用：解码 {off} -&gt; {on} tok/s，{ratio_gain} %（{low_gain} 至 {high_gain} %）。</translation>
    </message>
    <message>
        <source>{arm} is worth it: decode {low_gain} to {high_gain} % against off, depending on the workload.</source>
        <translation>“{arm}”值得用：解码与“关闭”相比 {low_gain} 至 {high_gain} %，取决于用途。</translation>
    </message>
    <message>
        <source>Off against off: no difference ({low_gain} to {high_gain} %), as it must be.</source>
        <translation>“关闭”与“关闭”相比：没有差别（{low_gain} 至 {high_gain} %），理应如此。</translation>
    </message>
    <message>
        <source>Off against off came out {decision} ({ratio_gain} %): this machine is too restless.</source>
        <translation>“关闭”与“关闭”相比得出“{decision}”（{ratio_gain} %）：这台电脑太不稳定。</translation>
    </message>
    <message>
        <source>{arm}: time to the first token {ratio_gain} % against off.</source>
        <translation>{arm}：到首个 token 的时间与“关闭”相比 {ratio_gain} %。</translation>
    </message>
    <message>
        <source>{arm}: {gain_gain} % on {gain_on}, but {loss_gain} % on {loss_on}.</source>
        <translation>{arm}：{gain_on} {gain_gain} %，但 {loss_on} {loss_gain} %。</translation>
    </message>
    <message>
        <source>{arm}: too few pairs for an interval ({pairs}); seen were {low_gain} to {high_gain} %.</source>
        <translation>{arm}：配对太少，无法给出区间（{pairs} 对）；所见为 {low_gain} 至 {high_gain} %。</translation>
    </message>
    <message>
        <source>{arm}: the interval {low_gain} to {high_gain} % is wide; a real difference may hide in it.</source>
        <translation>{arm}：区间 {low_gain} 至 {high_gain} % 很宽；其中可能藏有真实的差别。</translation>
    </message>
    <message>
        <source>Decode is up beyond noise ({ratio_gain} %).</source>
        <translation>解码的提升超出波动（{ratio_gain} %）。</translation>
    </message>
    <message>
        <source>Decode is not up beyond noise ({ratio_gain} %).</source>
        <translation>解码的提升没有超出波动（{ratio_gain} %）。</translation>
    </message>
    <message>
        <source>Decode is up by {gain} %, the goal is {goal} %.</source>
        <translation>解码提升 {gain} %，目标为 {goal} %。</translation>
    </message>
    <message>
        <source>Too little was measured to say whether decode is up.</source>
        <translation>测得太少，无法判断解码是否提升。</translation>
    </message>
    <message>
        <source>First token at {ratio}x off; allowed is {allowed}x.</source>
        <translation>首 token 为“关闭”的 {ratio} 倍；允许 {allowed} 倍。</translation>
    </message>
    <message>
        <source>The first-token time was not compared with off.</source>
        <translation>没有与“关闭”比较首 token 时间。</translation>
    </message>
    <message>
        <source>{n} requests in a row without anomaly.</source>
        <translation>连续 {n} 个请求没有异常。</translation>
    </message>
    <message>
        <source>Request {number} of {n} in a row: {reason}</source>
        <translation>连续 {n} 个请求中的第 {number} 个：{reason}</translation>
    </message>
    <message>
        <source>Only {n} requests in a row so far; {wanted} are wanted.</source>
        <translation>目前只有连续 {n} 个请求；需要 {wanted} 个。</translation>
    </message>
    <message>
        <source>Run ten in a row.</source>
        <translation>请运行“连续十个请求”。</translation>
    </message>
    <message>
        <source>From {shallow} to {deep} tokens decode changes by {change} %, with off by {off} %.</source>
        <translation>从 {shallow} 到 {deep} 个 token，解码变化 {change} %，“关闭”为 {off} %。</translation>
    </message>
    <message>
        <source>The degradation with depth was not measured.</source>
        <translation>没有测量速度随深度的下降。</translation>
    </message>
    <message>
        <source>Run a context sweep.</source>
        <translation>请运行“上下文扫描”。</translation>
    </message>
    <message>
        <source>Answers that kept their form: {rate} %, with off {off} %.</source>
        <translation>符合格式的回答：{rate} %，“关闭”为 {off} %。</translation>
    </message>
    <message>
        <source>Whether answers keep their form was not measured.</source>
        <translation>没有测量回答是否符合格式。</translation>
    </message>
    <message>
        <source>Failed requests: {rate} %, with off {off} %.</source>
        <translation>失败的请求：{rate} %，“关闭”为 {off} %。</translation>
    </message>
    <message>
        <source>The rate of failed requests was not measured.</source>
        <translation>没有测量请求的失败率。</translation>
    </message>
    <message>
        <source>the answer loops.</source>
        <translation>回答陷入循环。</translation>
    </message>
    <message>
        <source>the answer is empty.</source>
        <translation>回答为空。</translation>
    </message>
    <message>
        <source>The fastest measured arm that keeps {keep} MiB free.</source>
        <translation>能留出 {keep} MiB 的最快的组。</translation>
    </message>
    <message>
        <source>No measured arm is faster than off and keeps {keep} MiB free.</source>
        <translation>没有哪个组既比“关闭”快又能留出 {keep} MiB。</translation>
    </message>
    <message>
        <source>The factory values stay.</source>
        <translation>保持出厂值。</translation>
    </message>
    <message>
        <source>{arm}: prefill was not measured.</source>
        <translation>“{arm}”：没有测量预填充。</translation>
    </message>
    <message>
        <source>{arm}: free memory at a filled context is not known.</source>
        <translation>“{arm}”：填满上下文时的剩余显存未知。</translation>
    </message>
    <message>
        <source>Run a fill test.</source>
        <translation>请运行填充测试。</translation>
    </message>
    <message>
        <source>{arm} has not been soaked.</source>
        <translation>“{arm}”还没有经过持续运行测试。</translation>
    </message>
    <message>
        <source>Run a soak of 20 minutes before relying on it.</source>
        <translation>在依赖它之前，请持续运行 20 分钟。</translation>
    </message>
    <message>
        <source>The bottleneck is the first token: {share} % of a request passes before it.</source>
        <translation>瓶颈在首 token：一个请求有 {share} % 的时间花在它之前。</translation>
    </message>
    <message>
        <source>MTP does not help there. Try a smaller context, a larger ubatch, or a shorter prompt.</source>
        <translation>MTP 对此没有帮助。请试试更小的上下文、更大的 ubatch 或更短的提示词。</translation>
    </message>
    <message>
        <source>The bottleneck is memory: only {free} MiB of the card stay free.</source>
        <translation>瓶颈在显存：显卡只剩 {free} MiB。</translation>
    </message>
    <message>
        <source>Try a smaller quantisation or context first; no balanced or aggressive.</source>
        <translation>请先试更小的量化或上下文；不要用“均衡”或“激进”。</translation>
    </message>
    <message>
        <source>The bottleneck is memory: the engine spills out of the card.</source>
        <translation>瓶颈在显存：引擎已溢出显卡。</translation>
    </message>
    <message>
        <source>The bottleneck is decode: {rate} tok/s, and the card has room.</source>
        <translation>瓶颈在解码：{rate} tok/s，显卡还有余量。</translation>
    </message>
    <message>
        <source>Try MTP conservative, then balanced.</source>
        <translation>先试 MTP“保守”，再试“均衡”。</translation>
    </message>
    <message>
        <source>The bottleneck is decode: {rate} tok/s; free memory is not known.</source>
        <translation>瓶颈在解码：{rate} tok/s；剩余显存未知。</translation>
    </message>
    <message>
        <source>Try MTP conservative, and watch the memory.</source>
        <translation>试试 MTP“保守”，并留意显存。</translation>
    </message>
    <message>
        <source>No bottleneck stands out: {rate} tok/s, first token after {ttft} ms.</source>
        <translation>没有明显的瓶颈：{rate} tok/s，首 token 在 {ttft} ms 后到达。</translation>
    </message>
    <message>
        <source>Too little was measured to name a bottleneck.</source>
        <translation>测得太少，无法指出瓶颈。</translation>
    </message>
    <message>
        <source>Good at {shallow} tokens, poor at {deep}: decode changes by {change} %.</source>
        <translation>{shallow} 个 token 时良好，{deep} 个时较差：解码变化 {change} %。</translation>
    </message>
    <message>
        <source>Run a fill test, lower the context, or choose a smaller KV type.</source>
        <translation>请运行填充测试、减小上下文，或选用更小的 KV 类型。</translation>
    </message>
    <message>
        <source>{arm}: MTP is on but nothing is drafted.</source>
        <translation>“{arm}”：MTP 已开启，但没有产生草稿。</translation>
    </message>
    <message>
        <source>Look for the reason in the engine log: no head, a failed set-up, or an old build.</source>
        <translation>请在引擎日志中查找原因：没有 MTP 头、初始化失败，或版本太旧。</translation>
    </message>
    <message>
        <source>{arm}: MTP runs but changes nothing.</source>
        <translation>“{arm}”：MTP 在运行，但没有带来变化。</translation>
    </message>
    <message>
        <source>The bottleneck is elsewhere: compare first token and decode.</source>
        <translation>瓶颈在别处：请比较首 token 和解码。</translation>
    </message>
    <message>
        <source>{arm}: slower than off by {loss} % at an acceptance of {rate} %.</source>
        <translation>“{arm}”：接受率 {rate} % 时比“关闭”慢 {loss} %。</translation>
    </message>
    <message>
        <source>Switch MTP off or lower n_max, and look at each workload.</source>
        <translation>请关闭 MTP 或减小 n_max，并逐类查看文本。</translation>
    </message>
    <message>
        <source>{arm}: only {accepted} of {drafted} drafted tokens were accepted; this MTP head is unusable.</source>
        <translation>“{arm}”：{drafted} 个草稿 token 只接受了 {accepted} 个；这个 MTP 头不可用。</translation>
    </message>
    <message>
        <source>Switch MTP off, or take another quantisation of the same model.</source>
        <translation>请关闭 MTP，或换用同一模型的其他量化。</translation>
    </message>
    <message>
        <source>{arm}: only {drafted} tokens were drafted, too few to judge the head.</source>
        <translation>“{arm}”：只产生了 {drafted} 个草稿 token，太少，无法评判 MTP 头。</translation>
    </message>
    <message>
        <source>{arm}: only {rate} % of drafts were accepted on code; the build is suspect.</source>
        <translation>“{arm}”：代码文本的草稿只接受了 {rate} %；此版本可疑。</translation>
    </message>
    <message>
        <source>Update llama.cpp and measure again.</source>
        <translation>请更新 llama.cpp 后重新测量。</translation>
    </message>
    <message>
        <source>{arm}: tokens per round jumped from {before} to {after}; the answer may loop.</source>
        <translation>“{arm}”：每轮 token 数从 {before} 跳到 {after}；回答可能陷入循环。</translation>
    </message>
    <message>
        <source>Read the answer before believing the speed.</source>
        <translation>在相信速度之前，请先读一读回答。</translation>
    </message>
    <message>
        <source>{arm}: rounds per second fell from {before} to {after}: spill or throttling.</source>
        <translation>“{arm}”：每秒轮数从 {before} 降到 {after}：显存溢出或降频。</translation>
    </message>
    <message>
        <source>Look at memory, temperature and power.</source>
        <translation>请查看显存、温度和功耗。</translation>
    </message>
    <message>
        <source>{arm}: {rate} % of answers kept their form, with off {off} %.</source>
        <translation>“{arm}”：{rate} % 的回答符合格式，“关闭”为 {off} %。</translation>
    </message>
    <message>
        <source>Where the form matters use conservative or off.</source>
        <translation>格式重要时，请用“保守”或“关闭”。</translation>
    </message>
    <message>
        <source>The answers are the same as with off.</source>
        <translation>回答与“关闭”时相同。</translation>
    </message>
    <message>
        <source>{count} of {total} answers differ from off; first at character {index}: {off} / {arm}</source>
        <translation>{total} 个回答中有 {count} 个与“关闭”不同；首个差异在第 {index} 个字符：{off} / {arm}</translation>
    </message>
    <message>
        <source>Some drift is rounding; where the exact text matters, use off.</source>
        <translation>少许差异来自舍入；若文字必须一字不差，请用“关闭”。</translation>
    </message>
    <message>
        <source>The answer repeats itself ({share} % of it), which inflates acceptance.</source>
        <translation>回答有 {share} % 在重复自己，这会抬高接受率。</translation>
    </message>
    <message>
        <source>The search is over: no other n_max can beat {n} by 3 %.</source>
        <translation>搜索结束：没有别的 n_max 能比 {n} 快 3 %。</translation>
    </message>
    <message>
        <source>The search is over: its launches are used up; n_max {n} leads.</source>
        <translation>搜索结束：启动次数已用完；n_max {n} 领先。</translation>
    </message>
    <message>
        <source>The search is over: the rate is flat from n_max {low} to {high}, so a fixed overhead decides.</source>
        <translation>搜索结束：从 n_max {low} 到 {high} 速度持平，由固定开销决定。</translation>
    </message>
    <message>
        <source>The search is over: no n_max measured is faster than off.</source>
        <translation>搜索结束：测过的 n_max 都不比“关闭”快。</translation>
    </message>
    <message>
        <source>The search cannot go on: off could not be measured.</source>
        <translation>搜索无法继续：“关闭”未能测量。</translation>
    </message>
    <message>
        <source>n_max {n} and above are ruled out: the speed collapses to {rate} tok/s, most likely for want of memory.</source>
        <translation>排除 n_max {n} 及以上：速度骤降到 {rate} tok/s，很可能是显存不足。</translation>
    </message>
    <message>
        <source>n_max {n} and above are ruled out: it could not be measured.</source>
        <translation>排除 n_max {n} 及以上：未能测量。</translation>
    </message>
    <message>
        <source>{arm}: from {shallow} to {deep} tokens decode changes by {decode} %, first token by {ttft} %.</source>
        <translation>“{arm}”：从 {shallow} 到 {deep} 个 token，解码变化 {decode} %，首 token 变化 {ttft} %。</translation>
    </message>
    <message>
        <source>The soak held: the last five requests ran at {share} % of the first five.</source>
        <translation>持续运行通过：最后五个请求的速度为最初五个的 {share} %。</translation>
    </message>
    <message>
        <source>The soak failed: the last five requests ran at {share} % of the first five.</source>
        <translation>持续运行未通过：最后五个请求的速度只有最初五个的 {share} %。</translation>
    </message>
    <message>
        <source>Look at temperature, power limit and memory.</source>
        <translation>请查看温度、功耗限制和显存。</translation>
    </message>
    <message>
        <source>The soak failed: memory grew by {grown} MiB.</source>
        <translation>持续运行未通过：内存增长了 {grown} MiB。</translation>
    </message>
    <message>
        <source>Something leaks; restart the server from time to time or switch MTP off.</source>
        <translation>存在泄漏；请不时重启服务器，或关闭 MTP。</translation>
    </message>
    <message>
        <source>Whether memory grew is not known: there is no reading of it.</source>
        <translation>不知道内存是否增长：没有读数。</translation>
    </message>
    <message>
        <source>The soak failed: empty answers: {count}.</source>
        <translation>持续运行未通过：空回答：{count}。</translation>
    </message>
    <message>
        <source>The soak failed: requests that did not end well: {count}.</source>
        <translation>持续运行未通过：未正常结束的请求：{count}。</translation>
    </message>
    <message>
        <source>The soak was too short: {count} requests, at least {least} are needed.</source>
        <translation>持续运行时间太短：{count} 个请求，至少需要 {least} 个。</translation>
    </message>
    <message>
        <source>a prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>the engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>the model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>There is no folder {path}.</source>
        <translation>没有文件夹 {path}。</translation>
    </message>
    <message>
        <source>It may have been moved, or its drive is not connected.</source>
        <translation>它可能已被移动，或其所在磁盘未连接。</translation>
    </message>
    <message>
        <source>The folder {path} cannot be read: {reason}.</source>
        <translation>无法读取文件夹 {path}：{reason}。</translation>
    </message>
    <message>
        <source>Check its permissions, or choose another folder.</source>
        <translation>请检查其权限，或选择其他文件夹。</translation>
    </message>
    <message>
        <source>{path} did not answer within {seconds} s and was left out.</source>
        <translation>{path} 在 {seconds} 秒内没有响应，已跳过。</translation>
    </message>
    <message>
        <source>If it lies on a network drive, check the connection and search again.</source>
        <translation>如果它在网络驱动器上，请检查连接后重新搜索。</translation>
    </message>
    <message>
        <source>Folders that could not be read: {count}; the first is {path}.</source>
        <translation>有 {count} 个文件夹无法读取，第一个是 {path}。</translation>
    </message>
    <message>
        <source>Check their permissions if models of yours lie there.</source>
        <translation>如果其中有您的模型，请检查其权限。</translation>
    </message>
    <message>
        <source>The search was cut: of the entries of {path}, only the first {count} were looked at.</source>
        <translation>搜索已截断：{path} 中只查看了前 {count} 个条目。</translation>
    </message>
    <message>
        <source>Keep models in a folder of their own.</source>
        <translation>请把模型放在单独的文件夹中。</translation>
    </message>
    <message>
        <source>The search was cut: below {path} lie more than {count} folders.</source>
        <translation>搜索已截断：{path} 下有超过 {count} 个文件夹。</translation>
    </message>
    <message>
        <source>Name a folder nearer to the models.</source>
        <translation>请指定更靠近模型的文件夹。</translation>
    </message>
    <message>
        <source>The search was cut after {count} models; there may be more.</source>
        <translation>找到 {count} 个模型后搜索已截断，可能还有更多。</translation>
    </message>
    <message>
        <source>Search fewer folders at once.</source>
        <translation>请一次搜索较少的文件夹。</translation>
    </message>
    <message>
        <source>The search was cancelled; what was found until then is shown.</source>
        <translation>搜索已取消；显示此前找到的内容。</translation>
    </message>
    <message>
        <source>Search again to go through all folders.</source>
        <translation>请重新搜索以查看全部文件夹。</translation>
    </message>
    <message>
        <source>More files that look like models and are none: {count}.</source>
        <translation>另有 {count} 个文件看似模型但不是。</translation>
    </message>
    <message>
        <source>Search a folder by itself to see what is wrong with those in it.</source>
        <translation>单独搜索某个文件夹可查看其中文件的问题。</translation>
    </message>
    <message>
        <source>A context of {ctx} tokens is safe: every answer came complete, and {free} GiB of the card stayed free (at least {keep} shall).</source>
        <translation>{ctx} 个 token 的上下文是安全的：每个回答都完整，显卡始终有 {free} GiB 空闲（要求至少 {keep}）。</translation>
    </message>
    <message>
        <source>A context of {ctx} tokens is safe by its answers, which all came complete; how much memory stayed free is not known.</source>
        <translation>从回答看，{ctx} 个 token 的上下文是安全的：全部完整；剩余多少显存未知。</translation>
    </message>
    <message>
        <source>A context of {ctx} tokens is safe: every answer came complete. The engine sits in main memory, where no margin is judged.</source>
        <translation>{ctx} 个 token 的上下文是安全的：每个回答都完整。引擎在主内存中运行，不评判余量。</translation>
    </message>
    <message>
        <source>No context tried is safe: {tried} tokens.</source>
        <translation>试过的上下文都不安全：{tried} 个 token。</translation>
    </message>
    <message>
        <source>Choose a smaller quantisation, a smaller KV type, or a preset with a shorter draft.</source>
        <translation>请选择更小的量化、更小的 KV 类型，或草稿更短的预设。</translation>
    </message>
    <message>
        <source>The fill test ended for a reason other than memory: {reason}</source>
        <translation>填充测试因内存以外的原因结束：{reason}</translation>
    </message>
    <message>
        <source>A smaller context would not help; look at the engine log.</source>
        <translation>减小上下文没有用；请查看引擎日志。</translation>
    </message>
    <message>
        <source>The fill test did not come to its end.</source>
        <translation>填充测试没有做完。</translation>
    </message>
    <message>
        <source>{ctx} tokens: the engine did not start. {reason}</source>
        <translation>{ctx} 个 token：引擎没有启动。{reason}</translation>
    </message>
    <message>
        <source>{ctx} tokens, {share} % full: {reason}</source>
        <translation>{ctx} 个 token，填满 {share} %：{reason}</translation>
    </message>
    <message>
        <source>{ctx} tokens: only {free} GiB of the card stayed free; {keep} are to be kept.</source>
        <translation>{ctx} 个 token：显卡只剩 {free} GiB 空闲；应保留 {keep}。</translation>
    </message>
    <message>
        <source>{ctx} tokens: the card spilled into main memory.</source>
        <translation>{ctx} 个 token：显存溢出到了主内存。</translation>
    </message>
    <message>
        <source>{ctx} tokens, {share} % wanted: the prompt had only {filled} tokens instead of {depth}.</source>
        <translation>{ctx} 个 token，要求 {share} %：提示只有 {filled} 个 token，而不是 {depth} 个。</translation>
    </message>
    <message>
        <source>The answer was cut after {tokens} of {wanted} tokens.</source>
        <translation>回答在 {wanted} 个 token 中的第 {tokens} 个处被截断。</translation>
    </message>
    <message>
        <source>A context of {ctx} tokens is too small to be filled and still take {answer} tokens.</source>
        <translation>{ctx} 个 token 的上下文太小，填充后放不下 {answer} 个 token 的回答。</translation>
    </message>
    <message>
        <source>Give a larger context or a shorter answer.</source>
        <translation>请给更大的上下文或更短的回答。</translation>
    </message>
    <message>
        <source>The history {path} cannot be written at the moment ({reason}); rows waiting: {count}.</source>
        <translation>暂时无法写入历史记录 {path}（{reason}）；等待写入的行数：{count}。</translation>
    </message>
    <message>
        <source>They are tried again and nothing is lost; measuring goes on.</source>
        <translation>会继续重试，不会丢失任何内容；测量照常进行。</translation>
    </message>
    <message>
        <source>The history can be written again; every waiting row is stored.</source>
        <translation>历史记录又可以写入了；等待的行已全部保存。</translation>
    </message>
    <message>
        <source>Rows that had waited beside the history and are stored now: {count}.</source>
        <translation>此前在历史记录旁等待、现已保存的行数：{count}。</translation>
    </message>
    <message>
        <source>Rows that waited beside the history and do not fit it are kept in {path}: {count}.</source>
        <translation>在历史记录旁等待但与之不符的行保存在 {path}：{count} 行。</translation>
    </message>
    <message>
        <source>The run they belong to is not in this history; nothing was deleted.</source>
        <translation>它们所属的运行不在此历史记录中；没有删除任何内容。</translation>
    </message>
    <message>
        <source>The history {path} is damaged: {reason}.</source>
        <translation>历史记录 {path} 已损坏：{reason}。</translation>
    </message>
    <message>
        <source>Restore a copy from the folder of backups.</source>
        <translation>请从备份文件夹恢复一份副本。</translation>
    </message>
    <message>
        <source>Rows in the table {table} that belong to nothing: {count}.</source>
        <translation>表 {table} 中无所属的行：{count}。</translation>
    </message>
    <message>
        <source>Something other than qtune has changed the history; the other rows are sound.</source>
        <translation>有 qtune 以外的程序改动过历史记录；其他行完好。</translation>
    </message>
    <message>
        <source>The history has the schema {revision}; this qtune writes {wanted}.</source>
        <translation>历史记录的结构版本是 {revision}；此 qtune 使用 {wanted}。</translation>
    </message>
    <message>
        <source>An older one is brought up to date when it is opened.</source>
        <translation>较旧的会在打开时升级。</translation>
    </message>
    <message>
        <source>The history lacks {what}.</source>
        <translation>历史记录缺少 {what}。</translation>
    </message>
    <message>
        <source>Runs that are missing in the table of runs: {count}.</source>
        <translation>运行表中缺少的运行：{count}。</translation>
    </message>
    <message>
        <source>They are whole; the next start of qtune lists them again.</source>
        <translation>它们是完整的；下次启动 qtune 会重新列出。</translation>
    </message>
    <message>
        <source>Runs whose figures are still to be worked out: {count}.</source>
        <translation>还需计算数据的运行：{count}。</translation>
    </message>
    <message>
        <source>This goes on by itself while qtune is open and measures nothing.</source>
        <translation>qtune 打开且未在测量时会自动继续。</translation>
    </message>
    <message>
        <source>Rows wait beside the history in {path}.</source>
        <translation>有行在历史记录旁的 {path} 中等待。</translation>
    </message>
    <message>
        <source>The next start of qtune stores them.</source>
        <translation>下次启动 qtune 时会保存它们。</translation>
    </message>
    <message>
        <source>There is no history at {path}.</source>
        <translation>{path} 处没有历史记录。</translation>
    </message>
    <message>
        <source>No copy of the history could be written to {path}: {reason}.</source>
        <translation>无法把历史记录的副本写到 {path}：{reason}。</translation>
    </message>
    <message>
        <source>The history itself is untouched; choose another folder or free space.</source>
        <translation>历史记录本身未受影响；请选择其他文件夹或腾出空间。</translation>
    </message>
    <message>
        <source>The history has faults: {count}.</source>
        <translation>历史记录有 {count} 处问题。</translation>
    </message>
    <message>
        <source>No run and no experiment has an id that begins with {given}.</source>
        <translation>没有以 {given} 开头的运行或实验编号。</translation>
    </message>
    <message>
        <source>qtune history list shows the ids; with --deleted those that were deleted too.</source>
        <translation>qtune history list 会列出编号；加 --deleted 也列出已删除的。</translation>
    </message>
    <message>
        <source>Several ids begin with {given}: {ids}.</source>
        <translation>有多个编号以 {given} 开头：{ids}。</translation>
    </message>
    <message>
        <source>Give more of the id.</source>
        <translation>请给出更长的编号。</translation>
    </message>
    <message>
        <source>The experiment {given} has no runs, or all of them were deleted.</source>
        <translation>实验 {given} 没有运行，或已全部删除。</translation>
    </message>
    <message>
        <source>qtune history list --deleted shows deleted runs.</source>
        <translation>qtune history list --deleted 会列出已删除的运行。</translation>
    </message>
    <message>
        <source>The history has no run for this: none yet, none finished, or all deleted.</source>
        <translation>历史记录中没有合适的运行：还没有、没有完成的，或已全部删除。</translation>
    </message>
    <message>
        <source>Measure something first, or read in an export.</source>
        <translation>请先测量，或导入一份导出文件。</translation>
    </message>
    <message>
        <source>A comparison needs two runs, and only one was named.</source>
        <translation>比较需要两次运行，而只指定了一次。</translation>
    </message>
    <message>
        <source>Name another run, or an experiment with several.</source>
        <translation>请再指定一次运行，或一个含多次运行的实验。</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>Nothing was removed.</source>
        <translation>没有移除任何内容。</translation>
    </message>
    <message>
        <source>These runs used {count} different builds of the engine: {values}.</source>
        <translation>这些运行使用了 {count} 个不同的引擎版本：{values}。</translation>
    </message>
    <message>
        <source>These runs were made on {count} different devices: {values}.</source>
        <translation>这些运行在 {count} 种不同的设备上进行：{values}。</translation>
    </message>
    <message>
        <source>These runs used {count} different models: {values}.</source>
        <translation>这些运行使用了 {count} 个不同的模型：{values}。</translation>
    </message>
    <message>
        <source>These runs answered {count} different sets of prompts: {values}.</source>
        <translation>这些运行回答了 {count} 组不同的提示词：{values}。</translation>
    </message>
    <message>
        <source>It has no figures: no request of it counts.</source>
        <translation>没有指标：没有一个请求计入。</translation>
    </message>
    <message>
        <source>What it is held against has no figures: no request of it counts.</source>
        <translation>比较基准没有指标：它没有一个请求计入。</translation>
    </message>
    <message>
        <source>It answered none of the texts of what it is held against.</source>
        <translation>它没有回答比较基准的任何文本。</translation>
    </message>
    <message>
        <source>The answers to all texts that both have differ too much in length.</source>
        <translation>双方共有的文本，其回答长度都相差太大。</translation>
    </message>
    <message>
        <source>No text was measured in a start that both have.</source>
        <translation>没有文本是在双方都有的启动中测量的。</translation>
    </message>
    <message>
        <source>A difference may be the engine's and not the settings'.</source>
        <translation>差别可能来自引擎而不是设置。</translation>
    </message>
    <message>
        <source>A difference may be the device's and not the settings'.</source>
        <translation>差别可能来自设备而不是设置。</translation>
    </message>
    <message>
        <source>Their speeds do not say which settings are better.</source>
        <translation>它们的速度不能说明哪组设置更好。</translation>
    </message>
    <message>
        <source>Speed depends much on the text; compare runs of the same prompts.</source>
        <translation>速度与文本关系很大；请比较相同提示的运行。</translation>
    </message>
    <message>
        <source>This launch cannot work: it takes at least {needed} GiB, and there are {total} GiB in all.</source>
        <translation>无法启动：至少需要 {needed} GiB，而总共只有 {total} GiB。</translation>
    </message>
    <message>
        <source>Not even the smallest context fits; choose a smaller quantisation, fewer slots or smaller cache types.</source>
        <translation>连最小的上下文也放不下；请选择更小的量化、更少的槽位或更小的缓存类型。</translation>
    </message>
    <message>
        <source>Not even the smallest context fits; choose a smaller quantisation, fewer slots or smaller cache types. Without MTP it would be {mtp} GiB less.</source>
        <translation>连最小的上下文也放不下；请选择更小的量化、更少的槽位或更小的缓存类型。不用 MTP 可少占 {mtp} GiB。</translation>
    </message>
    <message>
        <source>The largest context that fits is {ctx} tokens.</source>
        <translation>放得下的最大上下文是 {ctx} 个 token。</translation>
    </message>
    <message>
        <source>The largest context that fits with MTP is {ctx} tokens. MTP adds {mtp} GiB.</source>
        <translation>开启 MTP 时放得下的最大上下文是 {ctx} 个 token。MTP 多占 {mtp} GiB。</translation>
    </message>
    <message>
        <source>This will probably not fit: it takes about {needed} GiB, and {free} GiB are free.</source>
        <translation>很可能放不下：约需 {needed} GiB，而空闲 {free} GiB。</translation>
    </message>
    <message>
        <source>This will be tight: it takes about {needed} of {free} GiB free, so {rest} GiB stay free instead of {keep}.</source>
        <translation>会很紧张：空闲的 {free} GiB 中约需 {needed} GiB，只剩 {rest} GiB，而应保留 {keep} GiB。</translation>
    </message>
    <message>
        <source>Not even the smallest context fits; leave experts of some layers to the processor (n_cpu_moe), or choose a smaller quantisation, fewer slots or smaller cache types.</source>
        <translation>连最小的上下文也放不下；请把部分层的专家留给处理器（n_cpu_moe），或选择更小的量化、更少的槽位或更小的缓存类型。</translation>
    </message>
    <message>
        <source>Not even the smallest context fits; leave experts of some layers to the processor (n_cpu_moe), or choose a smaller quantisation, fewer slots or smaller cache types. Without MTP it would be {mtp} GiB less.</source>
        <translation>连最小的上下文也放不下；请把部分层的专家留给处理器（n_cpu_moe），或选择更小的量化、更少的槽位或更小的缓存类型。不用 MTP 可少占 {mtp} GiB。</translation>
    </message>
    <message>
        <source>The largest context that fits is {ctx} tokens; with experts of some layers left to the processor (n_cpu_moe) more would.</source>
        <translation>放得下的最大上下文是 {ctx} 个 token；把部分层的专家留给处理器（n_cpu_moe）可以更大。</translation>
    </message>
    <message>
        <source>The largest context that fits with MTP is {ctx} tokens; with experts of some layers left to the processor (n_cpu_moe) more would. MTP adds {mtp} GiB.</source>
        <translation>开启 MTP 时放得下的最大上下文是 {ctx} 个 token；把部分层的专家留给处理器（n_cpu_moe）可以更大。MTP 多占 {mtp} GiB。</translation>
    </message>
    <message>
        <source>No context leaves as much free; choose a smaller quantisation, fewer slots or smaller cache types.</source>
        <translation>没有哪个上下文能留出这么多空闲；请选择更小的量化、更少的槽位或更小的缓存类型。</translation>
    </message>
    <message>
        <source>No context leaves as much free; choose a smaller quantisation, fewer slots or smaller cache types. Without MTP it would be {mtp} GiB less.</source>
        <translation>没有哪个上下文能留出这么多空闲；请选择更小的量化、更少的槽位或更小的缓存类型。不用 MTP 可少占 {mtp} GiB。</translation>
    </message>
    <message>
        <source>Up to {ctx} tokens of context leave as much free as they should.</source>
        <translation>上下文不超过 {ctx} 个 token 时，能留出应有的空闲。</translation>
    </message>
    <message>
        <source>With MTP, up to {ctx} tokens of context leave as much free as they should. MTP adds {mtp} GiB.</source>
        <translation>开启 MTP 时，上下文不超过 {ctx} 个 token 能留出应有的空闲。MTP 多占 {mtp} GiB。</translation>
    </message>
    <message>
        <source>No context leaves as much free; leave experts of some layers to the processor (n_cpu_moe), or choose a smaller quantisation, fewer slots or smaller cache types.</source>
        <translation>没有哪个上下文能留出这么多空闲；请把部分层的专家留给处理器（n_cpu_moe），或选择更小的量化、更少的槽位或更小的缓存类型。</translation>
    </message>
    <message>
        <source>No context leaves as much free; leave experts of some layers to the processor (n_cpu_moe), or choose a smaller quantisation, fewer slots or smaller cache types. Without MTP it would be {mtp} GiB less.</source>
        <translation>没有哪个上下文能留出这么多空闲；请把部分层的专家留给处理器（n_cpu_moe），或选择更小的量化、更少的槽位或更小的缓存类型。不用 MTP 可少占 {mtp} GiB。</translation>
    </message>
    <message>
        <source>Up to {ctx} tokens of context leave as much free as they should; with experts of some layers left to the processor (n_cpu_moe) more would.</source>
        <translation>上下文不超过 {ctx} 个 token 时能留出应有的空闲；把部分层的专家留给处理器（n_cpu_moe）可以更大。</translation>
    </message>
    <message>
        <source>With MTP, up to {ctx} tokens of context leave as much free as they should; with experts of some layers left to the processor (n_cpu_moe) more would. MTP adds {mtp} GiB.</source>
        <translation>开启 MTP 时，上下文不超过 {ctx} 个 token 能留出应有的空闲；把部分层的专家留给处理器（n_cpu_moe）可以更大。MTP 多占 {mtp} GiB。</translation>
    </message>
    <message>
        <source>The server was stopped on purpose, so it is not started again.</source>
        <translation>服务器是有意停止的，因此不再启动。</translation>
    </message>
    <message>
        <source>Going down the ladder would not cure this.</source>
        <translation>沿阶梯后退解决不了这个问题。</translation>
    </message>
    <message>
        <source>Mend the cause named above, then start again.</source>
        <translation>请先解决上述原因，再重新启动。</translation>
    </message>
    <message>
        <source>Automatic rollback is off, so nothing was started again.</source>
        <translation>自动回退已关闭，因此没有重新启动。</translation>
    </message>
    <message>
        <source>Roll back one step, or start again as it was.</source>
        <translation>请回退一步，或按原样重新启动。</translation>
    </message>
    <message>
        <source>The server was restarted {count} times within {minutes} minutes; it stays stopped now.</source>
        <translation>服务器在 {minutes} 分钟内已重启 {count} 次；现在保持停止。</translation>
    </message>
    <message>
        <source>Roll back one step yourself, or look at the engine log first.</source>
        <translation>请自行回退一步，或先查看引擎日志。</translation>
    </message>
    <message>
        <source>There is no lower rung left to go to.</source>
        <translation>已经没有更低的一级可退。</translation>
    </message>
    <message>
        <source>Choose a smaller model, or name one as the fallback in the settings.</source>
        <translation>请选择更小的模型，或在设置中指定一个后备模型。</translation>
    </message>
    <message>
        <source>The same settings are tried once more.</source>
        <translation>用相同的设置再试一次。</translation>
    </message>
    <message>
        <source>One step down is taken by itself.</source>
        <translation>自动后退一步。</translation>
    </message>
    <message>
        <source>Shorter drafts: n_max {before} to {after}.</source>
        <translation>缩短草稿：n_max 从 {before} 到 {after}。</translation>
    </message>
    <message>
        <source>The draft cache as f16 again.</source>
        <translation>草稿缓存恢复为 f16。</translation>
    </message>
    <message>
        <source>Physical batch {before} to {after}.</source>
        <translation>物理批大小从 {before} 到 {after}。</translation>
    </message>
    <message>
        <source>MTP off.</source>
        <translation>关闭 MTP。</translation>
    </message>
    <message>
        <source>Context {before} to {after} tokens.</source>
        <translation>上下文从 {before} 到 {after} 个 token。</translation>
    </message>
    <message>
        <source>The smaller file {model}.</source>
        <translation>改用更小的文件 {model}。</translation>
    </message>
    <message>
        <source>The fallback model {model}.</source>
        <translation>改用后备模型 {model}。</translation>
    </message>
    <message>
        <source>Memory ran out</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>MTP is not available</source>
        <translation>MTP 不可用</translation>
    </message>
    <message>
        <source>Drafting failed</source>
        <translation>起草失败</translation>
    </message>
    <message>
        <source>The engine refused an option</source>
        <translation>引擎拒绝了某个选项</translation>
    </message>
    <message>
        <source>The port is taken</source>
        <translation>端口被占用</translation>
    </message>
    <message>
        <source>The model file cannot be used</source>
        <translation>模型文件无法使用</translation>
    </message>
    <message>
        <source>The disk cannot be written</source>
        <translation>磁盘无法写入</translation>
    </message>
    <message>
        <source>The engine and this computer do not fit together</source>
        <translation>引擎与这台电脑不匹配</translation>
    </message>
    <message>
        <source>The server stopped working on requests</source>
        <translation>服务器不再处理请求</translation>
    </message>
    <message>
        <source>The card spilled into main memory</source>
        <translation>显存溢出到了主内存</translation>
    </message>
    <message>
        <source>The engine was killed</source>
        <translation>引擎被强行终止</translation>
    </message>
    <message>
        <source>The engine was stopped</source>
        <translation>引擎已停止</translation>
    </message>
    <message>
        <source>The engine failed for an unknown reason</source>
        <translation>引擎因未知原因失败</translation>
    </message>
    <message>
        <source>{what} This was turned off or lowered because: {why}</source>
        <translation>{what}关闭或降低的原因：{why}</translation>
    </message>
    <message>
        <source>Climb back once the cause is mended.</source>
        <translation>原因解决后可以再升回去。</translation>
    </message>
    <message>
        <source>One step up again: {what}</source>
        <translation>又升回一步：{what}</translation>
    </message>
    <message>
        <source>What you asked for is already in force.</source>
        <translation>您要求的设置已经生效。</translation>
    </message>
    <message>
        <source>Nothing was started yet, so there is nothing to roll back.</source>
        <translation>还没有启动过任何东西，因此没有可回退的。</translation>
    </message>
    <message>
        <source>Start a server first.</source>
        <translation>请先启动服务器。</translation>
    </message>
    <message>
        <source>The lower rung does not run either: {reason}</source>
        <translation>更低的一级也无法运行：{reason}</translation>
    </message>
    <message>
        <source>Roll back once more, or choose another model.</source>
        <translation>请再回退一步，或选择其他模型。</translation>
    </message>
    <message>
        <source>The server answers that it is well, but made no token for {seconds} s.</source>
        <translation>服务器自称正常，但 {seconds} 秒内没有生成任何 token。</translation>
    </message>
    <message>
        <source>It is stopped by force and started again once.</source>
        <translation>将强制停止并重新启动一次。</translation>
    </message>
    <message>
        <source>The app or the computer went down while a server ran ({preset}, context {ctx}); it is not started again by itself.</source>
        <translation>服务器运行期间（{preset}，上下文 {ctx}）程序或电脑中断；不会自动重新启动。</translation>
    </message>
    <message>
        <source>Start it again, or go one step down if it happens once more.</source>
        <translation>请重新启动；如果再次发生，请后退一步。</translation>
    </message>
    <message>
        <source>The server still runs, but does not listen on port {port} any more.</source>
        <translation>服务器仍在运行，但不再监听端口 {port}。</translation>
    </message>
    <message>
        <source>What is being started could not be noted in {path} ({reason}). It is started all the same; if it takes the computer down, the next start will not know.</source>
        <translation>无法把正在启动的设置记到 {path}（{reason}）。仍会启动；如果它使电脑崩溃，下次启动将无从得知。</translation>
    </message>
    <message>
        <source>Make room on the disk, or make the folder writable.</source>
        <translation>请腾出磁盘空间，或使文件夹可写。</translation>
    </message>
    <message>
        <source>Drafting failed in the engine: {line}</source>
        <translation>引擎起草失败：{line}</translation>
    </message>
    <message>
        <source>Switch MTP off, or use a newer build.</source>
        <translation>请关闭 MTP，或使用更新的版本。</translation>
    </message>
    <message>
        <source>The server could not process its drafts: {reason}</source>
        <translation>服务器无法处理其草稿：{reason}</translation>
    </message>
    <message>
        <source>The engine cannot use the graphics card: {line}</source>
        <translation>引擎无法使用显卡：{line}</translation>
    </message>
    <message>
        <source>Restart the computer after a driver update; check driver and runtime libraries.</source>
        <translation>更新驱动后请重启电脑；并检查驱动和运行库。</translation>
    </message>
    <message>
        <source>Another program asked the engine to end.</source>
        <translation>另一个程序要求引擎结束。</translation>
    </message>
    <message>
        <source>The system killed the engine because main memory ran out.</source>
        <translation>主内存耗尽，系统终止了引擎。</translation>
    </message>
    <message>
        <source>Close other programs, or choose a smaller context or a smaller quantisation.</source>
        <translation>请关闭其他程序，或选择更小的上下文或量化。</translation>
    </message>
    <message>
        <source>The engine lacks a library that it needs: {line}</source>
        <translation>引擎缺少所需的库：{line}</translation>
    </message>
    <message>
        <source>Unpack the whole archive of the engine; a CUDA build also wants its runtime files.</source>
        <translation>请解压引擎的整个压缩包；CUDA 版本还需要其运行库文件。</translation>
    </message>
    <message>
        <source>The engine was built for another processor ({line}).</source>
        <translation>此引擎是为其他处理器构建的（{line}）。</translation>
    </message>
    <message>
        <source>Choose a build of llama-server made for this computer.</source>
        <translation>请选择适合这台电脑的 llama-server 版本。</translation>
    </message>
    <message>
        <source>The system did not let the engine run ({line}).</source>
        <translation>系统不允许引擎运行（{line}）。</translation>
    </message>
    <message>
        <source>Look whether a virus scanner holds it back, and allow it there.</source>
        <translation>请检查杀毒软件是否拦截，并在其中放行。</translation>
    </message>
    <message>
        <source>This build of the engine is too old for the model: {line}</source>
        <translation>此引擎版本对该模型来说太旧：{line}</translation>
    </message>
    <message>
        <source>Choose a newer build of llama-server, or another model.</source>
        <translation>请选择更新的 llama-server，或其他模型。</translation>
    </message>
    <message>
        <source>The engine could not open the model file: {line}</source>
        <translation>引擎无法打开模型文件：{line}</translation>
    </message>
    <message>
        <source>It may have been moved or renamed, or you may not read it.</source>
        <translation>它可能已被移动或改名，或者您没有读取权限。</translation>
    </message>
    <message>
        <source>A part of the split model is missing or out of place: {line}</source>
        <translation>分卷模型缺少一部分或位置不对：{line}</translation>
    </message>
    <message>
        <source>Put all parts into one folder and choose the first of them.</source>
        <translation>请把所有分卷放在同一文件夹，并选择第一个。</translation>
    </message>
    <message>
        <source>The model file is not in GGUF format: {line}</source>
        <translation>模型文件不是 GGUF 格式：{line}</translation>
    </message>
    <message>
        <source>Choose a file that ends in .gguf; a download may have saved a web page instead.</source>
        <translation>请选择以 .gguf 结尾的文件；下载时可能存成了网页。</translation>
    </message>
    <message>
        <source>The model file is cut short: {line}</source>
        <translation>模型文件不完整：{line}</translation>
    </message>
    <message>
        <source>The file holds only a draft head and cannot run by itself: {line}</source>
        <translation>该文件只含草稿头，不能单独运行：{line}</translation>
    </message>
    <message>
        <source>Choose the main model; a head beside it is found by itself.</source>
        <translation>请选择主模型；旁边的草稿头会自动找到。</translation>
    </message>
    <message>
        <source>This engine ({version}) cannot run the MTP head of the architecture {arch}.</source>
        <translation>此引擎（{version}）无法运行架构 {arch} 的 MTP 头。</translation>
    </message>
    <message>
        <source>Choose the preset Off, or a newer build of llama-server.</source>
        <translation>请选择“关闭”预设，或更新的 llama-server。</translation>
    </message>
    <message>
        <source>The last attempt ({preset}, context {ctx}) took the app or the computer down; it is not repeated by itself.</source>
        <translation>上次尝试（{preset}，上下文 {ctx}）使程序或电脑崩溃；不会自动重试。</translation>
    </message>
    <message>
        <source>Start the last settings that worked, or go one step down.</source>
        <translation>请启动上次可用的设置，或后退一步。</translation>
    </message>
    <message>
        <source>These settings failed before with this engine and model ({date}): {reason}</source>
        <translation>这组设置曾在此引擎和模型上失败（{date}）：{reason}</translation>
    </message>
    <message>
        <source>Another build of the engine clears the mark.</source>
        <translation>换一个引擎版本后该标记会清除。</translation>
    </message>
    <message>
        <source>A list of settings that worked or failed was damaged and has been set aside as {path}.</source>
        <translation>一份记录可用或失败设置的列表已损坏，已另存为 {path}。</translation>
    </message>
    <message>
        <source>What worked last has to be started once more; nothing else is lost.</source>
        <translation>上次可用的设置需要重新启动一次；没有丢失其他内容。</translation>
    </message>
    <message>
        <source>No settings have been proved to work yet.</source>
        <translation>还没有经过验证可用的设置。</translation>
    </message>
    <message>
        <source>Name a model and a preset to start with.</source>
        <translation>请指定要启动的模型和预设。</translation>
    </message>
    <message>
        <source>Nothing else has been proved to work yet.</source>
        <translation>还没有其他经过验证可用的设置。</translation>
    </message>
    <message>
        <source>Go one step down with --roll-back, or name a model and a preset.</source>
        <translation>用 --roll-back 后退一步，或指定模型和预设。</translation>
    </message>
    <message>
        <source>Stopped before the server was ready.</source>
        <translation>在服务器就绪前已停止。</translation>
    </message>
    <message>
        <source>Safe mode: MTP is off, and nothing is started by itself.</source>
        <translation>安全模式：MTP 已关闭，不会自动启动任何东西。</translation>
    </message>
    <message>
        <source>Start qtune without --safe-mode to leave it.</source>
        <translation>不带 --safe-mode 启动 qtune 即可退出。</translation>
    </message>
    <message>
        <source>The card spilled: {free} MiB were left, and {grown} MiB more of main memory were used by it.</source>
        <translation>显存已溢出：只剩 {free} MiB，显卡多占用了 {grown} MiB 主内存。</translation>
    </message>
    <message>
        <source>Lower the context, or choose a smaller quantisation or KV type.</source>
        <translation>请减小上下文，或选择更小的量化或 KV 类型。</translation>
    </message>
    <message>
        <source>The card spilled: {free} MiB were left, the speed fell to {share} % of what it was, power to {power} %, and the traffic of its bus rose {pcie}-fold.</source>
        <translation>显存已溢出：只剩 {free} MiB，速度降到原来的 {share} %，功耗降到 {power} %，总线流量升到 {pcie} 倍。</translation>
    </message>
    <message>
        <source>No spill: at least {free} MiB of the card stayed free.</source>
        <translation>没有溢出：显卡始终至少有 {free} MiB 空闲。</translation>
    </message>
    <message>
        <source>No spill: only {free} MiB were left, but main memory used by the card stayed as it was.</source>
        <translation>没有溢出：虽然只剩 {free} MiB，但显卡占用的主内存没有变化。</translation>
    </message>
    <message>
        <source>Another program that needs the card could change that; keep 1 GiB.</source>
        <translation>其他程序使用显卡时情况可能改变；请保留 1 GiB。</translation>
    </message>
    <message>
        <source>No spill: only {free} MiB were left, but this driver refuses memory rather than borrow it.</source>
        <translation>没有溢出：虽然只剩 {free} MiB，但此驱动宁可拒绝也不借用内存。</translation>
    </message>
    <message>
        <source>Too much would end in out of memory; keep 1 GiB free.</source>
        <translation>再多就会内存不足；请保留 1 GiB 空闲。</translation>
    </message>
    <message>
        <source>No spill: part of the model runs on the processor because it was asked to.</source>
        <translation>没有溢出：模型的一部分按要求在处理器上运行。</translation>
    </message>
    <message>
        <source>No spill: only {layers} of {total} layers were put on the card; the processor runs the rest.</source>
        <translation>没有溢出：{total} 层中只有 {layers} 层放在显卡上，其余由处理器运行。</translation>
    </message>
    <message>
        <source>Ask for all layers (--n-gpu-layers), one slot, and compare the effective context.</source>
        <translation>请要求全部层上显卡（--n-gpu-layers）、一个槽位，并核对实际上下文。</translation>
    </message>
    <message>
        <source>No spill: integrated graphics work in main memory anyway.</source>
        <translation>没有溢出：核显本来就使用主内存。</translation>
    </message>
    <message>
        <source>No spill: the speed fell to {share} % of what it was, but nothing was moved to main memory.</source>
        <translation>没有溢出：速度降到原来的 {share} %，但没有数据移到主内存。</translation>
    </message>
    <message>
        <source>Look at temperature, power limit and other programs.</source>
        <translation>请查看温度、功耗上限和其他程序。</translation>
    </message>
    <message>
        <source>Whether the card spilled is not known. Not reported: {missing}.</source>
        <translation>无法判断显存是否溢出。未提供：{missing}。</translation>
    </message>
    <message>
        <source>Keep an eye on the speed: a spill makes it fall to a fraction.</source>
        <translation>请留意速度：一旦溢出，速度会骤降。</translation>
    </message>
    <message>
        <source>The speed fell to {share} % of what it was, which a spill would explain. Not reported: {missing}.</source>
        <translation>速度降到原来的 {share} %，可能是溢出所致。未提供：{missing}。</translation>
    </message>
    <message>
        <source>Repeat with a lower context; if it runs freely, it was memory.</source>
        <translation>请用更小的上下文重做；如果恢复正常，就是内存问题。</translation>
    </message>
    <message>
        <source>Only {free} MiB were left, but the speed shows no sign of a spill. Not reported: {missing}.</source>
        <translation>只剩 {free} MiB，但速度没有溢出的迹象。未提供：{missing}。</translation>
    </message>
    <message>
        <source>Keep more memory free to be sure.</source>
        <translation>为稳妥起见，请保留更多空闲内存。</translation>
    </message>
    <message>
        <source>Only {free} MiB were left; too little was measured to see a spill in the speed. Not reported: {missing}.</source>
        <translation>只剩 {free} MiB；测量太少，无法从速度判断是否溢出。未提供：{missing}。</translation>
    </message>
    <message>
        <source>Only {free} MiB were left and the speed fell to {share} %, but the card was throttled as well ({reasons}). Not reported: {missing}.</source>
        <translation>只剩 {free} MiB，速度降到 {share} %，但显卡同时也在降频（{reasons}）。未提供：{missing}。</translation>
    </message>
    <message>
        <source>Let the card cool down and measure again.</source>
        <translation>请让显卡冷却后重新测量。</translation>
    </message>
    <message>
        <source>Most likely a spill: {free} MiB were left, and the speed fell to {share} % of what it was. Not reported: {missing}.</source>
        <translation>很可能是溢出：只剩 {free} MiB，速度降到原来的 {share} %。未提供：{missing}。</translation>
    </message>
    <message>
        <source>Lower the context first; MTP is not to blame yet.</source>
        <translation>请先减小上下文；还不能怪 MTP。</translation>
    </message>
    <message>
        <source>{free} MiB were left and the speed fell to {share} % of what it was, but this driver refuses memory rather than borrow it. Not reported: {missing}.</source>
        <translation>只剩 {free} MiB，速度降到原来的 {share} %，但此驱动宁可拒绝也不借用内存。未提供：{missing}。</translation>
    </message>
    <message>
        <source>Look at the layers on the card and the effective context in the engine log first.</source>
        <translation>请先在引擎日志中查看上显卡的层数和实际上下文。</translation>
    </message>
    <message>
        <source>{grown} MiB more of main memory were used by the card and the speed fell to {share} %, though {free} MiB stayed free.</source>
        <translation>显卡多占用了 {grown} MiB 主内存，速度降到 {share} %，尽管仍有 {free} MiB 空闲。</translation>
    </message>
    <message>
        <source>Look at other programs that use the card.</source>
        <translation>请查看使用显卡的其他程序。</translation>
    </message>
    <message>
        <source>To be sure: the same prompt with a lower context. If it is fast again, it was the context.</source>
        <translation>要确认：用更小的上下文跑同一提示。如果又变快，就是上下文的问题。</translation>
    </message>
    <message>
        <source>In the NVIDIA control panel set the CUDA sysmem fallback policy of llama-server.exe to "Prefer No Sysmem Fallback": then too much ends in an error instead of a crawl.</source>
        <translation>请在 NVIDIA 控制面板中把 llama-server.exe 的 CUDA 系统内存回退策略设为“Prefer No Sysmem Fallback”：这样超出时会报错，而不是变得极慢。</translation>
    </message>
    <message>
        <source>Under WSL the sysmem fallback policy of the NVIDIA control panel has no effect; only less memory helps.</source>
        <translation>在 WSL 下，NVIDIA 控制面板的系统内存回退策略不起作用；只能减少占用。</translation>
    </message>
    <message>
        <source>The card had spilled into main memory.</source>
        <translation>显存当时已溢出到主内存。</translation>
    </message>
    <message>
        <source>The card was throttled: {reasons}.</source>
        <translation>显卡当时在降频：{reasons}。</translation>
    </message>
    <message>
        <source>No AMD GPU found: {reason}.</source>
        <translation>没有找到 AMD 显卡：{reason}。</translation>
    </message>
    <message>
        <source>No graphics card found (NVIDIA: {nvidia}; AMD: {amd}).</source>
        <translation>没有找到显卡（NVIDIA：{nvidia}；AMD：{amd}）。</translation>
    </message>
    <message>
        <source>{path} could not be written: {reason}.</source>
        <translation>无法写入 {path}：{reason}。</translation>
    </message>
    <message>
        <source>What was there before is untouched. Free some space or choose another folder.</source>
        <translation>原有内容未受影响。请腾出空间或选择其他文件夹。</translation>
    </message>
    <message>
        <source>This run never came as far as a command line.</source>
        <translation>这次运行还没有生成命令行。</translation>
    </message>
    <message>
        <source>Choose a run whose engine was started.</source>
        <translation>请选择引擎启动过的运行。</translation>
    </message>
    <message>
        <source>{form} cannot hold {text}.</source>
        <translation>{form} 无法容纳 {text}。</translation>
    </message>
    <message>
        <source>Rename the file or folder, or use another form of export.</source>
        <translation>请给文件或文件夹改名，或使用其他导出格式。</translation>
    </message>
    <message>
        <source>Nothing of it was taken. Export it again where it came from.</source>
        <translation>没有导入任何内容。请在来源处重新导出。</translation>
    </message>
    <message>
        <source>Read it in with a newer qtune.</source>
        <translation>请用更新的 qtune 读入。</translation>
    </message>
    <message>
        <source>Choose JSON or JSONL that qtune exported, or JSON, JSONL or CSV of llama-bench.</source>
        <translation>请选择 qtune 导出的 JSON 或 JSONL，或 llama-bench 的 JSON、JSONL 或 CSV。</translation>
    </message>
    <message>
        <source>{file} cannot be read in; the fault is at {place}: {reason}.</source>
        <translation>无法读入 {file}；错误位于 {place}：{reason}。</translation>
    </message>
    <message>
        <source>{file} is neither an export of qtune nor a result of llama-bench.</source>
        <translation>{file} 既不是 qtune 的导出文件，也不是 llama-bench 的结果。</translation>
    </message>
    <message>
        <source>{file} is UTF-16 text, as PowerShell writes it with &gt;.</source>
        <translation>{file} 是 UTF-16 文本，PowerShell 用 &gt; 写出的就是这样。</translation>
    </message>
    <message>
        <source>Write it anew as UTF-8: | Out-File -Encoding utf8 FILE.</source>
        <translation>请以 UTF-8 重新写出：| Out-File -Encoding utf8 FILE。</translation>
    </message>
    <message>
        <source>{file} is larger than {most}, the most for results of llama-bench.</source>
        <translation>{file} 大于 {most}，这是 llama-bench 结果的上限。</translation>
    </message>
    <message>
        <source>Split it into several files.</source>
        <translation>请把它分成几个文件。</translation>
    </message>
    <message>
        <source>{file} is empty.</source>
        <translation>{file} 是空文件。</translation>
    </message>
    <message>
        <source>{file} has the form {schema}, which this qtune does not know yet.</source>
        <translation>{file} 的格式是 {schema}，当前 qtune 还不认识。</translation>
    </message>
    <message>
        <source>{file} is no result of llama-bench that can be used; the fault is at {place}: {reason}.</source>
        <translation>{file} 不是可用的 llama-bench 结果；问题在 {place}：{reason}。</translation>
    </message>
    <message>
        <source>Write it with llama-bench -o json, -o jsonl or -o csv.</source>
        <translation>请用 llama-bench -o json、-o jsonl 或 -o csv 写出。</translation>
    </message>
    <message>
        <source>There is no command in this text.</source>
        <translation>这段文字里没有命令。</translation>
    </message>
    <message>
        <source>Paste the line that starts llama-server.</source>
        <translation>请粘贴启动 llama-server 的那一行。</translation>
    </message>
    <message>
        <source>This text is too long for a command (more than {limit} characters).</source>
        <translation>这段文字太长，不像命令（超过 {limit} 个字符）。</translation>
    </message>
    <message>
        <source>Paste only the line that starts llama-server.</source>
        <translation>请只粘贴启动 llama-server 的那一行。</translation>
    </message>
    <message>
        <source>A quotation in this command is never closed, so it was not read.</source>
        <translation>命令中有引号没有闭合，因此没有读取。</translation>
    </message>
    <message>
        <source>Paste the whole command.</source>
        <translation>请粘贴完整的命令。</translation>
    </message>
    <message>
        <source>{program} is not llama-server; only its flags were read.</source>
        <translation>{program} 不是 llama-server；只读取了其参数。</translation>
    </message>
    <message>
        <source>{flag} stands without a value.</source>
        <translation>{flag} 没有给值。</translation>
    </message>
    <message>
        <source>{text} holds a variable of the shell, which is not known here.</source>
        <translation>{text} 含有 shell 变量，这里无法得知其值。</translation>
    </message>
    <message>
        <source>Choose the file yourself.</source>
        <translation>请自行选择文件。</translation>
    </message>
    <message>
        <source>The command leaves the context to the model; here it stays as it is.</source>
        <translation>该命令把上下文交给模型决定；这里保持不变。</translation>
    </message>
    <message>
        <source>Choose a context length.</source>
        <translation>请选择上下文长度。</translation>
    </message>
    <message>
        <source>The command downloads its model ({model}); qtune downloads nothing.</source>
        <translation>该命令会下载模型（{model}）；qtune 不下载任何东西。</translation>
    </message>
    <message>
        <source>Choose the file yourself once it is on this computer.</source>
        <translation>文件下载到本机后请自行选择。</translation>
    </message>
    <message>
        <source>There is no run to export.</source>
        <translation>没有可导出的运行。</translation>
    </message>
    <message>
        <source>Choose one or more runs of the history.</source>
        <translation>请在历史记录中选择一次或多次运行。</translation>
    </message>
    <message>
        <source>The experiment came to no winner that could be launched; its arms: {arms}.</source>
        <translation>该实验没有得出可启动的胜者；它的组：{arms}。</translation>
    </message>
    <message>
        <source>Say which with --arm, or name a run.</source>
        <translation>用 --arm 指明是哪一组，或给出一次运行。</translation>
    </message>
    <message>
        <source>The experiment has no finished run of {arm}; its arms: {arms}.</source>
        <translation>该实验没有 {arm} 的已完成运行；它的组：{arms}。</translation>
    </message>
    <message>
        <source>A card or report tells of up to {most} experiments, and more were chosen.</source>
        <translation>卡片或报告最多讲述 {most} 个实验，但选择了更多。</translation>
    </message>
    <message>
        <source>Choose fewer, or take a table (CSV, Markdown).</source>
        <translation>请少选一些，或改用表格（CSV、Markdown）。</translation>
    </message>
    <message>
        <source>This form is made of one run, and {count} were chosen.</source>
        <translation>此格式只针对一次运行，而选择了 {count} 次。</translation>
    </message>
    <message>
        <source>Choose the one that is to be launched.</source>
        <translation>请选择要启动的那一次。</translation>
    </message>
    <message>
        <source>{path} cannot be read: {reason}.</source>
        <translation>无法读取 {path}：{reason}。</translation>
    </message>
    <message>
        <source>Check the name and its permissions.</source>
        <translation>请检查名称和权限。</translation>
    </message>
    <message>
        <source>{file} is larger than {most} and was laid out anew.</source>
        <translation>{file} 大于 {most}，且排版已被改动。</translation>
    </message>
    <message>
        <source>Import it as qtune wrote it, or export it as JSON lines.</source>
        <translation>请导入 qtune 写出的原文件，或改为导出 JSON 行格式。</translation>
    </message>
    <message>
        <source>Imported from llama-bench: {test}, {label}, no server and no prompt.</source>
        <translation>从 llama-bench 导入：{test}，{label}，没有服务器和提示词。</translation>
    </message>
    <message>
        <source>A PDF is printed by Chrome, Chromium or Edge, and none was found.</source>
        <translation>PDF 由 Chrome、Chromium 或 Edge 打印，但未找到其中任何一个。</translation>
    </message>
    <message>
        <source>Export the HTML report, open it in any browser and print it to a file.</source>
        <translation>请导出 HTML 报告，用任意浏览器打开并打印到文件。</translation>
    </message>
    <message>
        <source>{program} printed no PDF: {reason}.</source>
        <translation>{program} 没有打印出 PDF：{reason}。</translation>
    </message>
    <message>
        <source>This form is no text.</source>
        <translation>此格式不是文本。</translation>
    </message>
    <message>
        <source>Name a file to write it to, in the terminal with -o.</source>
        <translation>请指定要写入的文件，在终端中用 -o。</translation>
    </message>
    <message>
        <source>Exporting</source>
        <translation>正在导出</translation>
    </message>
    <message>
        <source>Importing</source>
        <translation>正在导入</translation>
    </message>
    <message>
        <source>These settings are your default now.</source>
        <translation>这组设置现在是您的默认设置。</translation>
    </message>
    <message>
        <source>They are what is started again where others have failed.</source>
        <translation>其他设置失败时会启动它。</translation>
    </message>
    <message>
        <source>There is no graphics card {card}.</source>
        <translation>没有显卡 {card}。</translation>
    </message>
    <message>
        <source>The cards of this computer: {cards}.</source>
        <translation>这台电脑的显卡：{cards}。</translation>
    </message>
    <message>
        <source>The chosen graphics card {card} is not there any more; the engine uses all it finds.</source>
        <translation>所选显卡 {card} 已不存在；引擎将使用找到的全部显卡。</translation>
    </message>
    <message>
        <source>The cards of this computer: {cards}. Choose one of them, or none.</source>
        <translation>这台电脑的显卡：{cards}。请选择其中之一，或不选。</translation>
    </message>
    <message>
        <source>The engine {version} cannot be confined to the chosen graphics card {card}, since none of the devices it lists is known to be that card; it uses all it finds.</source>
        <translation>无法让引擎 {version} 只使用所选显卡 {card}，因为它列出的设备都不能确认是该卡；它将使用找到的全部显卡。</translation>
    </message>
    <message>
        <source>Take a build of the engine for that card, or hide the other cards from the engine.</source>
        <translation>请使用适合该卡的引擎版本，或对引擎隐藏其他显卡。</translation>
    </message>
    <message>
        <source>This engine has no option to choose {devices}; it uses all the cards it finds.</source>
        <translation>此引擎没有选择 {devices} 的选项；它将使用找到的全部显卡。</translation>
    </message>
    <message>
        <source>Update the engine.</source>
        <translation>请更新引擎。</translation>
    </message>
    <message>
        <source>A context of {ctx} tokens is longer than the {trained} the model was trained on; beyond those its answers may lose all sense.</source>
        <translation>{ctx} 个 token 的上下文超过了模型训练时的 {trained} 个；超出部分的回答可能毫无意义。</translation>
    </message>
    <message>
        <source>Choose at most {trained} tokens.</source>
        <translation>请最多选择 {trained} 个 token。</translation>
    </message>
    <message>
        <source>Go back to the earlier one if you need the speed; measuring once more makes it surer.</source>
        <translation>若需要速度，请换回之前的版本；再测一次会更有把握。</translation>
    </message>
    <message>
        <source>Verdicts from before it may have changed, too; compare again.</source>
        <translation>此前的结论也可能随之改变；请重新比较。</translation>
    </message>
    <message>
        <source>Measure the same once more, and there will be an answer.</source>
        <translation>把同样的内容再测一次，就会有答案。</translation>
    </message>
    <message>
        <source>{after} is {percent} % slower than {before} on the same settings: {model}, {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.</source>
        <translation>相同设置下 {after} 比 {before} 慢 {percent} %：{model}，{low} 至 {high} %（95 % 区间），运行次数：之前 {n_before}，现在 {n_after}。</translation>
    </message>
    <message>
        <source>{after} is {percent} % faster than {before} on the same settings: {model}, {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.</source>
        <translation>相同设置下 {after} 比 {before} 快 {percent} %：{model}，{low} 至 {high} %（95 % 区间），运行次数：之前 {n_before}，现在 {n_after}。</translation>
    </message>
    <message>
        <source>{after} is as fast as {before} on the same settings, as far as can be told: {model}, {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.</source>
        <translation>就目前所知，相同设置下 {after} 与 {before} 一样快：{model}，{low} 至 {high} %（95 % 区间），运行次数：之前 {n_before}，现在 {n_after}。</translation>
    </message>
    <message>
        <source>Too few runs to say whether {after} is slower or faster than {before}: {model}, runs on the same settings: {n_before} before, {n_after} now; each needs {least} or more.</source>
        <translation>运行次数太少，无法判断 {after} 比 {before} 慢还是快：{model}，相同设置的运行：之前 {n_before}，现在 {n_after}；各需至少 {least} 次。</translation>
    </message>
    <message>
        <source>With the driver {after} the same settings are {percent} % slower than with {before}: {model}, {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.</source>
        <translation>使用驱动 {after} 时，相同设置比使用 {before} 慢 {percent} %：{model}，{low} 至 {high} %（95 % 区间），运行次数：之前 {n_before}，现在 {n_after}。</translation>
    </message>
    <message>
        <source>With the driver {after} the same settings are {percent} % faster than with {before}: {model}, {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.</source>
        <translation>使用驱动 {after} 时，相同设置比使用 {before} 快 {percent} %：{model}，{low} 至 {high} %（95 % 区间），运行次数：之前 {n_before}，现在 {n_after}。</translation>
    </message>
    <message>
        <source>With the driver {after} the same settings are as fast as with {before}, as far as can be told: {model}, {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.</source>
        <translation>就目前所知，使用驱动 {after} 时相同设置与使用 {before} 一样快：{model}，{low} 至 {high} %（95 % 区间），运行次数：之前 {n_before}，现在 {n_after}。</translation>
    </message>
    <message>
        <source>Too few runs to say whether the driver {after} is slower or faster than {before}: {model}, runs on the same settings: {n_before} before, {n_after} now; each needs {least} or more.</source>
        <translation>运行次数太少，无法判断驱动 {after} 比 {before} 慢还是快：{model}，相同设置的运行：之前 {n_before}，现在 {n_after}；各需至少 {least} 次。</translation>
    </message>
    <message>
        <source>At a power limit of {after} the same settings are {percent} % slower than at {before}: {model}, {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.</source>
        <translation>功率上限为 {after} 时，相同设置比 {before} 时慢 {percent} %：{model}，{low} 至 {high} %（95 % 区间），运行次数：之前 {n_before}，现在 {n_after}。</translation>
    </message>
    <message>
        <source>At a power limit of {after} the same settings are {percent} % faster than at {before}: {model}, {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.</source>
        <translation>功率上限为 {after} 时，相同设置比 {before} 时快 {percent} %：{model}，{low} 至 {high} %（95 % 区间），运行次数：之前 {n_before}，现在 {n_after}。</translation>
    </message>
    <message>
        <source>At a power limit of {after} the same settings are as fast as at {before}, as far as can be told: {model}, {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.</source>
        <translation>就目前所知，功率上限为 {after} 时相同设置与 {before} 时一样快：{model}，{low} 至 {high} %（95 % 区间），运行次数：之前 {n_before}，现在 {n_after}。</translation>
    </message>
    <message>
        <source>Too few runs to say whether a power limit of {after} is slower or faster than {before}: {model}, runs on the same settings: {n_before} before, {n_after} now; each needs {least} or more.</source>
        <translation>运行次数太少，无法判断功率上限 {after} 比 {before} 慢还是快：{model}，相同设置的运行：之前 {n_before}，现在 {n_after}；各需至少 {least} 次。</translation>
    </message>
    <message>
        <source>The driver changed as well, from {before} to {after}.</source>
        <translation>驱动也变了：从 {before} 到 {after}。</translation>
    </message>
    <message>
        <source>The power limit changed as well, from {before} to {after}.</source>
        <translation>功率上限也变了：从 {before} 到 {after}。</translation>
    </message>
    <message>
        <source>qtune itself changed as well, from {before} to {after}.</source>
        <translation>qtune 本身也变了：从 {before} 到 {after}。</translation>
    </message>
    <message>
        <source>The system changed as well, from {before} to {after}.</source>
        <translation>系统也变了：从 {before} 到 {after}。</translation>
    </message>
    <message>
        <source>One of the two was measured in one sitting only; a warm card or a busy computer may have a share in it.</source>
        <translation>其中一个只测过一轮；显卡温度高或电脑繁忙可能也有影响。</translation>
    </message>
    <message>
        <source>These runs drew their tokens in {count} different ways: {values}.</source>
        <translation>这些运行以 {count} 种不同的方式采样 token：{values}。</translation>
    </message>
    <message>
        <source>These runs were made on {count} different computers or systems: {values}.</source>
        <translation>这些运行在 {count} 台不同的计算机或系统上进行：{values}。</translation>
    </message>
    <message>
        <source>These runs were made with {count} different drivers: {values}.</source>
        <translation>这些运行使用了 {count} 个不同的驱动：{values}。</translation>
    </message>
    <message>
        <source>The card had {count} different power limits: {values}.</source>
        <translation>显卡有 {count} 种不同的功率上限：{values}。</translation>
    </message>
    <message>
        <source>These runs were measured by {count} different versions: {values}.</source>
        <translation>这些运行由 {count} 个不同的版本测量：{values}。</translation>
    </message>
    <message>
        <source>Drafts are accepted more often the colder the sampling is.</source>
        <translation>采样温度越低，草稿越容易被接受。</translation>
    </message>
    <message>
        <source>A difference may be the computer's and not the settings'.</source>
        <translation>差别可能来自电脑而不是设置。</translation>
    </message>
    <message>
        <source>A difference may be the driver's and not the settings'.</source>
        <translation>差别可能来自驱动而不是设置。</translation>
    </message>
    <message>
        <source>A difference may be the limit's and not the settings'.</source>
        <translation>差别可能来自功率上限而不是设置。</translation>
    </message>
    <message>
        <source>What is measured is the same; how may differ in small things.</source>
        <translation>测量的内容相同；测量方式可能有细微差别。</translation>
    </message>
    <message>
        <source>Some of these runs are from llama-bench, others are not.</source>
        <translation>这些运行中有些来自 llama-bench，有些不是。</translation>
    </message>
    <message>
        <source>llama-bench measures without server, sampling and real text; its figures are higher by nature.</source>
        <translation>llama-bench 不经服务器、不采样、也不用真实文本；其数值本来就更高。</translation>
    </message>
    <message>
        <source>Models (.gguf), folders with models, llama-server itself, scripts that start it, and exports of the history (JSON) can be dropped here.</source>
        <translation>可以拖入：模型（.gguf）、存放模型的文件夹、llama-server 本身、启动它的脚本，以及历史记录的导出文件（JSON）。</translation>
    </message>
    <message>
        <source>{path} is nothing qtune can use.</source>
        <translation>qtune 无法使用 {path}。</translation>
    </message>
    <message>
        <source>{path} holds no command that starts llama-server.</source>
        <translation>{path} 中没有启动 llama-server 的命令。</translation>
    </message>
    <message>
        <source>Check that the file is yours to read.</source>
        <translation>请检查您是否有权读取该文件。</translation>
    </message>
    <message>
        <source>{count} files were dropped; only {path} was taken.</source>
        <translation>拖入了 {count} 个文件，只接收了 {path}。</translation>
    </message>
    <message>
        <source>A folder of models can be dropped as a whole.</source>
        <translation>存放模型的文件夹可以整个拖入。</translation>
    </message>
    <message>
        <source>Nothing can be taken in while qtune is at work.</source>
        <translation>qtune 工作期间不能接收任何文件。</translation>
    </message>
    <message>
        <source>Drop it again once the work has ended, or cancel it.</source>
        <translation>请在工作结束后重新拖入，或先取消工作。</translation>
    </message>
    <message>
        <source>There is no command that starts llama-server in this text.</source>
        <translation>这段文字中没有启动 llama-server 的命令。</translation>
    </message>
    <message>
        <source>Copy the whole line that starts it, then paste it here.</source>
        <translation>请复制启动它的整行命令，再粘贴到这里。</translation>
    </message>
    <message>
        <source>Settings cannot be changed while qtune is at work.</source>
        <translation>qtune 工作期间不能更改设置。</translation>
    </message>
    <message>
        <source>Paste the command again once the work has ended, or cancel it.</source>
        <translation>请在工作结束后重新粘贴命令，或先取消工作。</translation>
    </message>
    <message>
        <source>It is not known in which folder {path} is.</source>
        <translation>不知道 {path} 位于哪个文件夹。</translation>
    </message>
    <message>
        <source>{settings}: without effect, since the command does not turn MTP on.</source>
        <translation>{settings}：不起作用，因为该命令没有开启 MTP。</translation>
    </message>
    <message>
        <source>There is no command to copy before a model and an engine are chosen.</source>
        <translation>选择模型和引擎之后才有可复制的命令。</translation>
    </message>
    <message>
        <source>Nothing has been measured yet that could be passed on.</source>
        <translation>还没有可供导出的测量结果。</translation>
    </message>
    <message>
        <source>Measure something first; F5 measures the chosen preset.</source>
        <translation>请先测量；按 F5 测量所选预设。</translation>
    </message>
    <message>
        <source>Measuring goes on: what comes waits on this computer and is stored once the database can be used.</source>
        <translation>测量照常进行：结果先在本机等待，数据库可用后即存入。</translation>
    </message>
    <message>
        <source>That is no address of a database: {reason}.</source>
        <translation>这不是数据库地址：{reason}。</translation>
    </message>
    <message>
        <source>One looks like this: postgresql://name@server/database</source>
        <translation>地址形如：postgresql://name@server/database</translation>
    </message>
    <message>
        <source>A shared history is kept in PostgreSQL, not in {kind}.</source>
        <translation>共享的历史记录保存在 PostgreSQL 中，而不是 {kind} 中。</translation>
    </message>
    <message>
        <source>The driver for PostgreSQL is not installed.</source>
        <translation>未安装 PostgreSQL 的驱动程序。</translation>
    </message>
    <message>
        <source>Install it with: pip install "qtune[postgres]"</source>
        <translation>安装方法：pip install "qtune[postgres]"</translation>
    </message>
    <message>
        <source>The shared history {path} cannot be reached: {reason}.</source>
        <translation>无法访问共享的历史记录 {path}：{reason}。</translation>
    </message>
    <message>
        <source>The server of the shared history {path} refuses: {reason}.</source>
        <translation>共享历史记录 {path} 的服务器拒绝访问：{reason}。</translation>
    </message>
    <message>
        <source>The shared history {path} refuses the password.</source>
        <translation>共享的历史记录 {path} 拒绝了该密码。</translation>
    </message>
    <message>
        <source>Give it under Settings, or with: qtune db use. What is measured waits until then.</source>
        <translation>请在“设置”中或用 qtune db use 输入密码。在此之前，测量结果会等待。</translation>
    </message>
    <message>
        <source>The shared history {path} asks for a password, and none is known.</source>
        <translation>共享的历史记录 {path} 需要密码，但没有已知的密码。</translation>
    </message>
    <message>
        <source>The role has too few rights in {path}: {reason}.</source>
        <translation>该角色在 {path} 中的权限不足：{reason}。</translation>
    </message>
    <message>
        <source>docs/shared-history.md says which it needs; nothing was changed.</source>
        <translation>所需权限见 docs/shared-history.md；未做任何改动。</translation>
    </message>
    <message>
        <source>The database {path} stores text as {encoding}, and not as UTF8.</source>
        <translation>数据库 {path} 以 {encoding} 而不是 UTF8 存储文本。</translation>
    </message>
    <message>
        <source>Make one with: createdb --encoding=UTF8 --template=template0</source>
        <translation>请用以下命令新建：createdb --encoding=UTF8 --template=template0</translation>
    </message>
    <message>
        <source>The database {path} holds tables of another program.</source>
        <translation>数据库 {path} 中有其他程序的表。</translation>
    </message>
    <message>
        <source>Give qtune a database of its own; nothing was touched.</source>
        <translation>请给 qtune 一个专用的数据库；未做任何改动。</translation>
    </message>
    <message>
        <source>{path} can be used; it is empty, and the first start makes the tables.</source>
        <translation>{path} 可以使用；它是空的，首次启动时会建立表。</translation>
    </message>
    <message>
        <source>{path} can be used; an older qtune made it, and it is brought up to date.</source>
        <translation>{path} 可以使用；它由旧版 qtune 建立，将被升级。</translation>
    </message>
    <message>
        <source>Older versions cannot use it after that: update all computers together.</source>
        <translation>此后旧版本将无法使用它：请同时更新所有计算机。</translation>
    </message>
    <message>
        <source>{path} can be used; runs in it: {count}.</source>
        <translation>{path} 可以使用；其中的运行数：{count}。</translation>
    </message>
    <message>
        <source>{path} is no file that could be copied.</source>
        <translation>{path} 不是可以复制的文件。</translation>
    </message>
    <message>
        <source>Its server has a tool for that, pg_dump; or export the runs as JSON, which can be read in.</source>
        <translation>可用服务器自带的工具 pg_dump；或将运行导出为 JSON，之后可以再导入。</translation>
    </message>
    <message>
        <source>Rows wait in {path} for a history that is not in use now.</source>
        <translation>{path} 中有数据在等待当前未使用的另一份历史记录。</translation>
    </message>
    <message>
        <source>They are stored when qtune is started with that one again.</source>
        <translation>再次用那份历史记录启动 qtune 时即会存入。</translation>
    </message>
    <message>
        <source>The history is the file {path} of this computer.</source>
        <translation>历史记录是本机的文件 {path}。</translation>
    </message>
    <message>
        <source>This system has no key ring, so the password is kept nowhere.</source>
        <translation>本系统没有密钥环，因此密码不会保存在任何地方。</translation>
    </message>
    <message>
        <source>Give it under Settings after each start, or keep it in QTUNE_HISTORY_PASSWORD or ~/.pgpass.</source>
        <translation>请在每次启动后于“设置”中输入，或把它放在 QTUNE_HISTORY_PASSWORD 或 ~/.pgpass 中。</translation>
    </message>
    <message>
        <source>From the next start of qtune on, the history is in {path}.</source>
        <translation>从 qtune 下次启动起，历史记录位于 {path}。</translation>
    </message>
    <message>
        <source>What is in the present one stays there; export and read in what is to move.</source>
        <translation>现有历史记录中的内容留在原处；要迁移的内容请先导出再导入。</translation>
    </message>
    <message>
        <source>The history is in {path}.</source>
        <translation>历史记录位于 {path}。</translation>
    </message>
    <message>
        <source>QTUNE_HISTORY_URL says where the history is, so this choice has no effect.</source>
        <translation>QTUNE_HISTORY_URL 已指定历史记录的位置，因此此处的选择不起作用。</translation>
    </message>
</context>
<context>
    <name>models</name>
    <message>
        <source>MTP head: yes</source>
        <translation>有 MTP 头</translation>
    </message>
    <message>
        <source>MTP head beside it</source>
        <translation>旁边有 MTP 头</translation>
    </message>
    <message>
        <source>MTP head only</source>
        <translation>仅 MTP 头</translation>
    </message>
    <message>
        <source>no MTP head</source>
        <translation>无 MTP 头</translation>
    </message>
    <message>
        <source>in the file</source>
        <translation>在文件内</translation>
    </message>
    <message>
        <source>in a file beside it</source>
        <translation>在旁边的文件中</translation>
    </message>
    <message>
        <source>only a head</source>
        <translation>只有头</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>qtune sample model</source>
        <translation>qtune 示例模型</translation>
    </message>
    <message>
        <source>The header of the file says too little for an estimate.</source>
        <translation>文件头的信息太少，无法估计。</translation>
    </message>
</context>
<context>
    <name>pasted</name>
    <message>
        <source>qtune serves on this computer alone and takes a free port.</source>
        <translation>qtune 只在本机提供服务，并自选空闲端口。</translation>
    </message>
    <message>
        <source>qtune makes a new key at every start; this one was not read.</source>
        <translation>qtune 每次启动都生成新密钥，未读取这一个。</translation>
    </message>
    <message>
        <source>qtune decides this itself at every start.</source>
        <translation>qtune 每次启动时自行决定。</translation>
    </message>
    <message>
        <source>Sampling belongs to each request, not to the server.</source>
        <translation>采样参数属于每个请求，不属于服务器。</translation>
    </message>
    <message>
        <source>Its value was not taken; see above.</source>
        <translation>其取值未被采用，见上文。</translation>
    </message>
    <message>
        <source>No flag of llama-server that qtune reads here.</source>
        <translation>不是 qtune 在此读取的 llama-server 参数。</translation>
    </message>
    <message>
        <source>qtune has no setting for it; the engine's default holds.</source>
        <translation>qtune 没有此设置，沿用引擎的默认值。</translation>
    </message>
</context>
<context>
    <name>presets</name>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Conservative</source>
        <translation>保守</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Aggressive</source>
        <translation>激进</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>Without MTP, for comparison</source>
        <translation>不用 MTP，作为比较的基准</translation>
    </message>
    <message>
        <source>Faster without touching stability</source>
        <translation>提速而不影响稳定</translation>
    </message>
    <message>
        <source>Clearly faster</source>
        <translation>明显更快</translation>
    </message>
    <message>
        <source>The limit, with eyes open</source>
        <translation>逼近极限，心中有数</translation>
    </message>
    <message>
        <source>The draft length found on this machine</source>
        <translation>在这台电脑上找到的草稿长度</translation>
    </message>
    <message>
        <source>From the command you pasted</source>
        <translation>来自您粘贴的命令</translation>
    </message>
</context>
<context>
    <name>prompts</name>
    <message>
        <source>summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>summary (Chinese)</source>
        <translation>摘要（中文）</translation>
    </message>
    <message>
        <source>code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>code (Chinese)</source>
        <translation>代码（中文）</translation>
    </message>
    <message>
        <source>mathematics</source>
        <translation>数学</translation>
    </message>
    <message>
        <source>mathematics (Chinese)</source>
        <translation>数学（中文）</translation>
    </message>
    <message>
        <source>knowledge</source>
        <translation>知识</translation>
    </message>
    <message>
        <source>knowledge (Chinese)</source>
        <translation>知识（中文）</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>JSON (Chinese)</source>
        <translation>JSON（中文）</translation>
    </message>
    <message>
        <source>creative</source>
        <translation>创作</translation>
    </message>
    <message>
        <source>creative (Chinese)</source>
        <translation>创作（中文）</translation>
    </message>
    <message>
        <source>sample</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>sample two</source>
        <translation>示例二</translation>
    </message>
    <message>
        <source>sample three</source>
        <translation>示例三</translation>
    </message>
    <message>
        <source>{depth} deep</source>
        <translation>深 {depth}</translation>
    </message>
    <message>
        <source>{context}, {share} % full</source>
        <translation>{context}，填充 {share}%</translation>
    </message>
</context>
<context>
    <name>report</name>
    <message>
        <source>Decode speed by arm</source>
        <translation>各组的解码速度</translation>
    </message>
    <message>
        <source>Median of the counted requests in tokens/s; the line spans the lowest and highest.</source>
        <translation>计入请求的中位数，单位 token/秒；线段表示最低到最高。</translation>
    </message>
    <message>
        <source>Gain over off</source>
        <translation>相对关闭的增益</translation>
    </message>
    <message>
        <source>Per cent more tokens/s than off; the line is the 95 % interval where there is one.</source>
        <translation>比关闭多出的 token/秒百分比；有 95 % 区间时以线段表示。</translation>
    </message>
    <message>
        <source>Decode speed over the requests</source>
        <translation>逐个请求的解码速度</translation>
    </message>
    <message>
        <source>Each counted request of all starts in order; a gap is a request that does not count.</source>
        <translation>按顺序列出所有启动中计入的请求；空缺表示不计入的请求。</translation>
    </message>
    <message>
        <source>request</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Arms</source>
        <translation>各组</translation>
    </message>
    <message>
        <source>Arm</source>
        <translation>组</translation>
    </message>
    <message>
        <source>Acceptance</source>
        <translation>接受率</translation>
    </message>
    <message>
        <source>Tokens per round</source>
        <translation>每轮 token 数</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Memory: before → loaded → peak / total</source>
        <translation>内存：之前 → 加载后 → 峰值 / 总量</translation>
    </message>
    <message>
        <source>Decode, tok/s</source>
        <translation>解码，tok/s</translation>
    </message>
    <message>
        <source>Measured on {date} (UTC) with qtune; arms: {arms}, starts: {runs}, counted requests: {requests}.</source>
        <translation>由 qtune 测于 {date}（UTC）；组：{arms}，启动：{runs}，计入的请求：{requests}。</translation>
    </message>
    <message>
        <source>First token, ms</source>
        <translation>首个 token，ms</translation>
    </message>
    <message>
        <source>Prompt, tok/s</source>
        <translation>提示词，tok/s</translation>
    </message>
    <message>
        <source>Whole request, ms</source>
        <translation>整个请求，ms</translation>
    </message>
    <message>
        <source>Spilled into main memory</source>
        <translation>溢出到主内存</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Gain by workload</source>
        <translation>各类任务的增益</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Decision</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>不同的设置</translation>
    </message>
    <message>
        <source>Settings of all arms</source>
        <translation>所有组的设置</translation>
    </message>
    <message>
        <source>to</source>
        <translation>至</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置项</translation>
    </message>
    <message>
        <source>Set-up</source>
        <translation>环境</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Card</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Starts</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Arm and start</source>
        <translation>组与启动</translation>
    </message>
    <message>
        <source>Begun</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Load s</source>
        <translation>加载 秒</translation>
    </message>
    <message>
        <source>marked as an outlier</source>
        <translation>标为离群</translation>
    </message>
    <message>
        <source>left to the engine</source>
        <translation>由引擎决定</translation>
    </message>
    <message>
        <source>Several experiments, each by itself: what was measured apart is not held together.</source>
        <translation>多个实验，各自独立：分开测得的结果不放在一起比较。</translation>
    </message>
    <message>
        <source>Medians with the range seen. Every figure follows from the raw record of each request, which qtune exports as JSON.</source>
        <translation>中位数及观察到的范围。每个数字都来自各请求的原始记录，qtune 可将其导出为 JSON。</translation>
    </message>
    <message>
        <source>better</source>
        <translation>更好</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>更差</translation>
    </message>
    <message>
        <source>no difference</source>
        <translation>无差别</translation>
    </message>
    <message>
        <source>too few requests to tell</source>
        <translation>请求太少，无法判断</translation>
    </message>
    <message>
        <source>MTP was not active</source>
        <translation>MTP 未生效</translation>
    </message>
</context>
<context>
    <name>seals</name>
    <message>
        <source>passed</source>
        <translation>通过</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>未通过</translation>
    </message>
    <message>
        <source>depends on the text</source>
        <translation>视文本而定</translation>
    </message>
    <message>
        <source>indication</source>
        <translation>仅供参考</translation>
    </message>
    <message>
        <source>a look, no verdict</source>
        <translation>只看一看，不下结论</translation>
    </message>
    <message>
        <source>no answer yet</source>
        <translation>尚无答案</translation>
    </message>
    <message>
        <source>safe</source>
        <translation>安全</translation>
    </message>
    <message>
        <source>answered, margin not known</source>
        <translation>已回答，余量未知</translation>
    </message>
    <message>
        <source>not safe</source>
        <translation>不安全</translation>
    </message>
    <message>
        <source>Quick</source>
        <translation>快速</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>完整</translation>
    </message>
    <message>
        <source>sample model</source>
        <translation>示例模型</translation>
    </message>
    <message>
        <source>Cancelled: this is what was measured until then.</source>
        <translation>已取消：以下是取消前测得的结果。</translation>
    </message>
    <message>
        <source>An indication has no interval and cannot tell a small gain from luck; Full can.</source>
        <translation>参考值没有区间，分不清小幅提升与运气；“完整”可以。</translation>
    </message>
</context>
<context>
    <name>settings</name>
    <message>
        <source>MTP on</source>
        <translation>开启 MTP</translation>
    </message>
    <message>
        <source>drafts {value} tokens</source>
        <translation>每轮草稿 {value} 个</translation>
    </message>
    <message>
        <source>batch {value}</source>
        <translation>批 {value}</translation>
    </message>
    <message>
        <source>physical batch {value}</source>
        <translation>物理批 {value}</translation>
    </message>
    <message>
        <source>slots: {value}</source>
        <translation>并行 {value}</translation>
    </message>
    <message>
        <source>MTP off</source>
        <translation>关闭 MTP</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Tokens of prompt and answer that one conversation can hold.</source>
        <translation>一段对话的提示词和回答合计最多容纳的 token 数。</translation>
    </message>
    <message>
        <source>Parallel slots</source>
        <translation>并行槽位</translation>
    </message>
    <message>
        <source>Requests served at once; on hybrid models each slot costs its own state.</source>
        <translation>同时处理的请求数；在混合架构模型上，每个槽位都要占用自己的状态。</translation>
    </message>
    <message>
        <source>Layers on the card</source>
        <translation>放到显卡的层数</translation>
    </message>
    <message>
        <source>How much of the model is placed on the graphics card.</source>
        <translation>模型有多少放在显卡上。</translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation>Flash Attention</translation>
    </message>
    <message>
        <source>Fused attention; needed for a quantised V cache.</source>
        <translation>融合注意力；量化 V 缓存需要它。</translation>
    </message>
    <message>
        <source>K cache type</source>
        <translation>K 缓存类型</translation>
    </message>
    <message>
        <source>Number format of the keys; smaller saves memory.</source>
        <translation>键的数值格式；越小越省内存。</translation>
    </message>
    <message>
        <source>V cache type</source>
        <translation>V 缓存类型</translation>
    </message>
    <message>
        <source>Number format of the values; smaller saves memory.</source>
        <translation>值的数值格式；越小越省内存。</translation>
    </message>
    <message>
        <source>Logical batch</source>
        <translation>逻辑批大小</translation>
    </message>
    <message>
        <source>Prompt tokens handed over at once.</source>
        <translation>一次提交的提示词 token 数。</translation>
    </message>
    <message>
        <source>Physical batch</source>
        <translation>物理批大小</translation>
    </message>
    <message>
        <source>Prompt tokens computed at once; larger reads prompts faster and needs more memory.</source>
        <translation>一次计算的提示词 token 数；越大读提示词越快，也越占内存。</translation>
    </message>
    <message>
        <source>CPU threads</source>
        <translation>CPU 线程数</translation>
    </message>
    <message>
        <source>0 leaves the choice to the engine.</source>
        <translation>0 表示由引擎决定。</translation>
    </message>
    <message>
        <source>Expert layers on the CPU</source>
        <translation>放在 CPU 的专家层</translation>
    </message>
    <message>
        <source>Keeps the experts of the first layers in main memory, to fit a larger model.</source>
        <translation>把前几层的专家留在内存中，以便容纳更大的模型。</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>加载方式</translation>
    </message>
    <message>
        <source>How the model file is read.</source>
        <translation>读取模型文件的方式。</translation>
    </message>
    <message>
        <source>Prompt cache in RAM</source>
        <translation>内存中的提示词缓存</translation>
    </message>
    <message>
        <source>Main memory for prompts of earlier requests; 0 while measuring, or repeats look too fast.</source>
        <translation>用于缓存先前提示词的内存；测量时为 0，否则重复请求会显得过快。</translation>
    </message>
    <message>
        <source>MTP</source>
        <translation>MTP</translation>
    </message>
    <message>
        <source>Draft several tokens with the model's own prediction head.</source>
        <translation>用模型自带的预测头一次草拟多个 token。</translation>
    </message>
    <message>
        <source>Draft length n_max</source>
        <translation>草稿长度 n_max</translation>
    </message>
    <message>
        <source>Tokens drafted in each round.</source>
        <translation>每轮草拟的 token 数。</translation>
    </message>
    <message>
        <source>Shortest draft n_min</source>
        <translation>最短草稿 n_min</translation>
    </message>
    <message>
        <source>Shorter drafts are thrown away.</source>
        <translation>更短的草稿会被丢弃。</translation>
    </message>
    <message>
        <source>Draft confidence p_min</source>
        <translation>草稿置信度 p_min</translation>
    </message>
    <message>
        <source>Drafting ends where the head is less sure than this.</source>
        <translation>预测头的把握低于此值时停止草拟。</translation>
    </message>
    <message>
        <source>Draft K cache type</source>
        <translation>草稿 K 缓存类型</translation>
    </message>
    <message>
        <source>Number format of the MTP head's own keys.</source>
        <translation>MTP 头自身的键的数值格式。</translation>
    </message>
    <message>
        <source>Draft V cache type</source>
        <translation>草稿 V 缓存类型</translation>
    </message>
    <message>
        <source>Number format of the MTP head's own values.</source>
        <translation>MTP 头自身的值的数值格式。</translation>
    </message>
</context>
<context>
    <name>shortcuts</name>
    <message>
        <source>Measuring</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Server and way back</source>
        <translation>服务器与退路</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>On Tune</source>
        <translation>在“调优”页</translation>
    </message>
    <message>
        <source>Find, take in and pass on</source>
        <translation>查找、导入与导出</translation>
    </message>
    <message>
        <source>In lists</source>
        <translation>在列表中</translation>
    </message>
    <message>
        <source>In charts</source>
        <translation>在图表中</translation>
    </message>
    <message>
        <source>Measure the chosen preset</source>
        <translation>测量所选预设</translation>
    </message>
    <message>
        <source>Measure Off and the chosen preset</source>
        <translation>测量“关闭”和所选预设</translation>
    </message>
    <message>
        <source>Compare all presets</source>
        <translation>比较所有预设</translation>
    </message>
    <message>
        <source>Find the best n_max</source>
        <translation>寻找最佳 n_max</translation>
    </message>
    <message>
        <source>Context sweep</source>
        <translation>上下文扫描</translation>
    </message>
    <message>
        <source>Cancel; what was measured stays</source>
        <translation>取消；已测量的结果会保留</translation>
    </message>
    <message>
        <source>Start or stop the server</source>
        <translation>启动或停止服务器</translation>
    </message>
    <message>
        <source>Roll back one step</source>
        <translation>回退一步</translation>
    </message>
    <message>
        <source>Climb back one step</source>
        <translation>向上恢复一步</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>调优</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史记录</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Close qtune</source>
        <translation>关闭 qtune</translation>
    </message>
    <message>
        <source>All keys</source>
        <translation>所有快捷键</translation>
    </message>
    <message>
        <source>Choose a model file</source>
        <translation>选择模型文件</translation>
    </message>
    <message>
        <source>Choose a llama-server</source>
        <translation>选择 llama-server</translation>
    </message>
    <message>
        <source>Live charts and record</source>
        <translation>实时图表和记录</translation>
    </message>
    <message>
        <source>Newest result</source>
        <translation>最新结果</translation>
    </message>
    <message>
        <source>Ladder, in a narrow window</source>
        <translation>退路（窄窗口中）</translation>
    </message>
    <message>
        <source>Paste a llama-server command…</source>
        <translation>粘贴 llama-server 命令…</translation>
    </message>
    <message>
        <source>Copy this preset as a command</source>
        <translation>将此预设复制为命令</translation>
    </message>
    <message>
        <source>Copy the newest result as Markdown</source>
        <translation>将最新结果复制为 Markdown</translation>
    </message>
    <message>
        <source>Find on this page</source>
        <translation>在此页查找</translation>
    </message>
    <message>
        <source>Export the newest result, or chosen runs</source>
        <translation>导出最新结果或选中的运行</translation>
    </message>
    <message>
        <source>Copy the selected lines of the record</source>
        <translation>复制记录中选中的行</translation>
    </message>
    <message>
        <source>Details of a run; use a model</source>
        <translation>查看运行详情；使用模型</translation>
    </message>
    <message>
        <source>Fold an experiment, or open it</source>
        <translation>折叠或展开一个实验</translation>
    </message>
    <message>
        <source>Fold all experiments, or open them</source>
        <translation>折叠或展开所有实验</translation>
    </message>
    <message>
        <source>Delete the selected runs</source>
        <translation>删除选中的运行</translation>
    </message>
    <message>
        <source>Bring back what was just deleted or put back</source>
        <translation>恢复刚刚删除或重置的内容</translation>
    </message>
    <message>
        <source>Back from a comparison to the list</source>
        <translation>从比较返回列表</translation>
    </message>
    <message>
        <source>Read the values, point by point</source>
        <translation>逐点读取数值</translation>
    </message>
    <message>
        <source>Zoom in and out</source>
        <translation>放大和缩小</translation>
    </message>
    <message>
        <source>Move along</source>
        <translation>平移</translation>
    </message>
    <message>
        <source>Show everything again</source>
        <translation>重新显示全部</translation>
    </message>
    <message>
        <source>Hold the charts still, or let them run on</source>
        <translation>暂停图表，或让其继续</translation>
    </message>
</context>
<context>
    <name>states</name>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>loading</source>
        <translation>加载中</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>measuring</source>
        <translation>测量中</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>停止中</translation>
    </message>
    <message>
        <source>crashed</source>
        <translation>已崩溃</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>counted</source>
        <translation>计入</translation>
    </message>
    <message>
        <source>not counted: {reasons}</source>
        <translation>未计入：{reasons}</translation>
    </message>
    <message>
        <source>ok</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>rolled back</source>
        <translation>已回退</translation>
    </message>
    <message>
        <source>restarting</source>
        <translation>正在重新启动</translation>
    </message>
</context>
<context>
    <name>steps</name>
    <message>
        <source>Start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>One step down</source>
        <translation>回退一步</translation>
    </message>
    <message>
        <source>One step up</source>
        <translation>恢复一步</translation>
    </message>
    <message>
        <source>Tried again</source>
        <translation>再次尝试</translation>
    </message>
    <message>
        <source>by you</source>
        <translation>您操作</translation>
    </message>
    <message>
        <source>by itself</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>loaded in {time}</source>
        <translation>加载用时 {time}</translation>
    </message>
</context>
<context>
    <name>workloads</name>
    <message>
        <source>Code, a booking module</source>
        <translation>代码，预订模块</translation>
    </message>
    <message>
        <source>Code, a booking module (Chinese)</source>
        <translation>代码，预订模块（中文）</translation>
    </message>
    <message>
        <source>Creative, a short story</source>
        <translation>创作，短篇故事</translation>
    </message>
    <message>
        <source>Creative, a short story (Chinese)</source>
        <translation>创作，短篇故事（中文）</translation>
    </message>
    <message>
        <source>JSON extraction, five hives</source>
        <translation>JSON 提取，五个蜂箱</translation>
    </message>
    <message>
        <source>JSON extraction, five hives (Chinese)</source>
        <translation>JSON 提取，五个蜂箱（中文）</translation>
    </message>
    <message>
        <source>Knowledge question, tides</source>
        <translation>知识问答，潮汐</translation>
    </message>
    <message>
        <source>Knowledge question, tides (Chinese)</source>
        <translation>知识问答，潮汐（中文）</translation>
    </message>
    <message>
        <source>Mathematics, step by step</source>
        <translation>数学，逐步解答</translation>
    </message>
    <message>
        <source>Mathematics, step by step (Chinese)</source>
        <translation>数学，逐步解答（中文）</translation>
    </message>
    <message>
        <source>Sample prompt</source>
        <translation>示例提示词</translation>
    </message>
    <message>
        <source>Sample prompt three</source>
        <translation>示例提示词三</translation>
    </message>
    <message>
        <source>Sample prompt two</source>
        <translation>示例提示词二</translation>
    </message>
    <message>
        <source>Summary, ten bullets</source>
        <translation>摘要，十个要点</translation>
    </message>
    <message>
        <source>Summary, ten bullets (Chinese)</source>
        <translation>摘要，十个要点（中文）</translation>
    </message>
</context>
</TS>

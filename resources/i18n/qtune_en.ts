<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en">
<context>
    <name>EmptyWords</name>
    <message numerus="yes">
        <source>%Ln run(s) were deleted; there is no other.</source>
        <translation>
            <numerusform>%Ln run was deleted; there is no other.</numerusform>
            <numerusform>%Ln runs were deleted; there is no other.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FirstStart</name>
    <message numerus="yes">
        <source>Show all %n model(s)</source>
        <translation>
            <numerusform>Show the %n model</numerusform>
            <numerusform>Show all %n models</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HistoryActions</name>
    <message numerus="yes">
        <source>%Ln run(s) deleted.</source>
        <translation>
            <numerusform>%Ln run deleted.</numerusform>
            <numerusform>%Ln runs deleted.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) brought back.</source>
        <translation>
            <numerusform>%Ln run brought back.</numerusform>
            <numerusform>%Ln runs brought back.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) were there already.</source>
        <translation>
            <numerusform>%Ln run was there already.</numerusform>
            <numerusform>%Ln runs were there already.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln of them had been deleted and stay hidden.</source>
        <translation>
            <numerusform>%Ln of them had been deleted and stays hidden.</numerusform>
            <numerusform>%Ln of them had been deleted and stay hidden.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) taken in.</source>
        <translation>
            <numerusform>%Ln run taken in.</numerusform>
            <numerusform>%Ln runs taken in.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HistoryComparison</name>
    <message numerus="yes">
        <source>Comparison: {first} and %n other(s)</source>
        <translation>
            <numerusform>Comparison: {first} and %n other</numerusform>
            <numerusform>Comparison: {first} and %n others</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more run(s) are not shown: eight sides can be told apart.</source>
        <translation>
            <numerusform>%Ln more run is not shown: eight sides can be told apart.</numerusform>
            <numerusform>%Ln more runs are not shown: eight sides can be told apart.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n start(s)</source>
        <translation>
            <numerusform>%n start</numerusform>
            <numerusform>%n starts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n text(s)</source>
        <translation>
            <numerusform>%n text</numerusform>
            <numerusform>%n texts</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HistoryDetail</name>
    <message numerus="yes">
        <source>%Ln run(s) selected</source>
        <translation>
            <numerusform>%Ln run selected</numerusform>
            <numerusform>%Ln runs selected</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HistoryModel</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{listed} of %n run(s)</source>
        <translation>
            <numerusform>{listed} of %n run</numerusform>
            <numerusform>{listed} of %n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>IncidentPanel</name>
    <message numerus="yes">
        <source>%n failure(s), newest first</source>
        <translation>
            <numerusform>%n failure</numerusform>
            <numerusform>%n failures, newest first</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message numerus="yes">
        <source>Searching… %n found so far</source>
        <translation>
            <numerusform>Searching… %n found so far</numerusform>
            <numerusform>Searching… %n found so far</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Stopped: %n found until then</source>
        <translation>
            <numerusform>Stopped: %n found until then</numerusform>
            <numerusform>Stopped: %n found until then</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n found</source>
        <translation>
            <numerusform>%n found</numerusform>
            <numerusform>%n found</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) or folder(s) cannot be used</source>
        <translation>
            <numerusform>%n file or folder cannot be used</numerusform>
            <numerusform>%n files or folders cannot be used</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n folder(s) searched</source>
        <translation>
            <numerusform>%n folder searched</numerusform>
            <numerusform>%n folders searched</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PageHead</name>
    <message numerus="yes">
        <source>%Ln deleted run(s)</source>
        <translation>
            <numerusform>%Ln deleted run</numerusform>
            <numerusform>%Ln deleted runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln run</numerusform>
            <numerusform>%Ln runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RetentionDialog</name>
    <message numerus="yes">
        <source>Older than %n day(s)</source>
        <translation>
            <numerusform>Older than %n day</numerusform>
            <numerusform>Older than %n days</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) would be deleted.</source>
        <translation>
            <numerusform>%Ln run would be deleted.</numerusform>
            <numerusform>%Ln runs would be deleted.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln deleted run(s) can still be brought back.</source>
        <translation>
            <numerusform>%Ln deleted run can still be brought back.</numerusform>
            <numerusform>%Ln deleted runs can still be brought back.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>WhenFilter</name>
    <message numerus="yes">
        <source>Last %n day(s)</source>
        <translation>
            <numerusform>Last %n day</numerusform>
            <numerusform>Last %n days</numerusform>
        </translation>
    </message>
</context>
</TS>

/* Stands in for libnvidia-ml.so.1: answers from the text file that NVML_STUB_ANSWERS names, one answer a line,
 *
 *     function[:argument]|handle|code|words
 *
 * What is not in the file is NotSupported. ABSENT_<function> leaves a function out, as older drivers do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, LINES = 400, HANDLES = 64 };

typedef struct { char text[640]; const char *words; int code; } Line; /* the text is cut after its key */
typedef struct { unsigned version; unsigned long long total, reserved, free, used; } Memory2;
typedef struct { unsigned long long total, free, used; } Memory1;
typedef struct { unsigned gpu, memory; } Utilization;
typedef struct { unsigned pid; unsigned long long used; unsigned gpu_instance, compute_instance; } Process;
typedef struct { char legacy[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; } Pci;

static Line lines[LINES];
static int known = 0;
static char handles[HANDLES][16];

static void load(void) {
    const char *path = getenv("NVML_STUB_ANSWERS");
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file) { fprintf(stderr, "NVML_STUB_ANSWERS names no file\n"); abort(); }
    for (known = 0; known < LINES && fgets(lines[known].text, sizeof lines[known].text, file); known++) {
        char *text = lines[known].text, *first = strchr(text, '|'), *second = first ? strchr(first + 1, '|') : NULL;
        char *third = second ? strchr(second + 1, '|') : NULL;
        if (!third) { fprintf(stderr, "not an answer: %s\n", text); abort(); }
        *second = *third = '\0';
        third[1 + strcspn(third + 1, "\n")] = '\0';
        lines[known].code = atoi(second + 1);
        lines[known].words = third + 1;
    }
    fclose(file);
}

static int answer(const char *function, const char *handle, int otherwise, const char **words) {
    char key[160];
    snprintf(key, sizeof key, "%s|%s", function, handle ? handle : "");
    for (int i = 0; i < known; i++)
        if (strcmp(lines[i].text, key) == 0) { *words = lines[i].words; return lines[i].code; }
    return otherwise;
}

static int number(const char *function, const char *handle, unsigned long long *value) {
    const char *words = "";
    int code = answer(function, handle, NOT_SUPPORTED, &words);
    if (code == SUCCESS) *value = strtoull(words, NULL, 10);
    return code;
}

static int figure(const char *function, const char *handle, unsigned *value) {
    unsigned long long wide = 0;
    int code = number(function, handle, &wide);
    if (code == SUCCESS) *value = (unsigned)wide;
    return code;
}

static int words_into(const char *function, const char *handle, int otherwise, char *to, unsigned size) {
    const char *words = "";
    int code = answer(function, handle, otherwise, &words);
    if (code == SUCCESS) snprintf(to, size, "%s", words);
    return code;
}

static int handle_of(const char *function, const char *from, int otherwise, const char **handle) {
    const char *words = "";
    int code = answer(function, from, otherwise, &words), i = 0;
    if (code != SUCCESS) return code;
    while (i < HANDLES - 1 && handles[i][0] && strcmp(handles[i], words) != 0) i++;
    snprintf(handles[i], sizeof handles[i], "%s", words);
    *handle = handles[i];
    return SUCCESS;
}

static const char *with(const char *function, const char *argument) {
    static _Thread_local char name[160];
    snprintf(name, sizeof name, "%s:%s", function, argument);
    return name;
}

static const char *with_number(const char *function, unsigned argument) {
    char text[16];
    snprintf(text, sizeof text, "%u", argument);
    return with(function, text);
}

static int processes(const char *function, const char *handle, unsigned *count, Process *to) {
    const char *words = "";
    int code = answer(function, handle, NOT_SUPPORTED, &words), used = 0;
    unsigned found = 0, room = *count, pid;
    unsigned long long memory;
    if (code != SUCCESS) return code;
    for (; sscanf(words, "%u %llu%n", &pid, &memory, &used) == 2; words += used, found++)
        if (to && found < room) to[found] = (Process){pid, memory, 0xFFFFFFFFu, 0xFFFFFFFFu};
    *count = found;
    return found > room ? INSUFFICIENT_SIZE : SUCCESS;
}

int nvmlInitWithFlags(unsigned flags) {
    const char *words = "";
    (void)flags;
    load();
    return answer("nvmlInitWithFlags", "", SUCCESS, &words);
}

int nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(int code) { (void)code; return "an error of the stub"; }
int nvmlDeviceGetCount_v2(unsigned *count) { return figure("nvmlDeviceGetCount_v2", "", count); }

int nvmlSystemGetDriverVersion(char *to, unsigned size) {
    return words_into("nvmlSystemGetDriverVersion", "", NOT_SUPPORTED, to, size);
}

int nvmlSystemGetProcessName(unsigned pid, char *to, unsigned size) {
    return words_into(with_number("nvmlSystemGetProcessName", pid), "", NOT_FOUND, to, size);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, const char **handle) {
    return handle_of(with_number("nvmlDeviceGetHandleByIndex_v2", index), "", NOT_FOUND, handle);
}

int nvmlDeviceGetHandleByUUID(const char *uuid, const char **handle) {
    return handle_of(with("nvmlDeviceGetHandleByUUID", uuid), "", NOT_FOUND, handle);
}

int nvmlDeviceGetMigDeviceHandleByIndex(const char *board, unsigned index, const char **handle) {
    return handle_of(with_number("nvmlDeviceGetMigDeviceHandleByIndex", index), board, NOT_FOUND, handle);
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(const char *slice, const char **handle) {
    return handle_of("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", slice, NOT_FOUND, handle);
}

int nvmlDeviceGetMigMode(const char *device, unsigned *current, unsigned *pending) {
    const char *words = "";
    int code = answer("nvmlDeviceGetMigMode", device, NOT_SUPPORTED, &words);
    if (code == SUCCESS) sscanf(words, "%u %u", current, pending);
    return code;
}

int nvmlDeviceGetMaxMigDeviceCount(const char *device, unsigned *count) {
    return figure("nvmlDeviceGetMaxMigDeviceCount", device, count);
}

int nvmlDeviceGetIndex(const char *device, unsigned *index) { return figure("nvmlDeviceGetIndex", device, index); }

int nvmlDeviceGetUUID(const char *device, char *to, unsigned size) {
    return words_into("nvmlDeviceGetUUID", device, NOT_SUPPORTED, to, size);
}

int nvmlDeviceGetName(const char *device, char *to, unsigned size) {
    return words_into("nvmlDeviceGetName", device, NOT_SUPPORTED, to, size);
}

int nvmlDeviceGetPciInfo_v3(const char *device, Pci *to) {
    const char *words = "";
    int code = answer("nvmlDeviceGetPciInfo_v3", device, NOT_SUPPORTED, &words);
    if (code != SUCCESS) return code;
    sscanf(words, "%u %u %u", &to->domain, &to->bus, &to->device);
    snprintf(to->bus_id, sizeof to->bus_id, "%08X:%02X:%02X.0", to->domain, to->bus, to->device);
    return SUCCESS;
}

int nvmlDeviceGetMemoryInfo(const char *device, Memory1 *to) {
    const char *words = "";
    int code = answer("nvmlDeviceGetMemoryInfo", device, NOT_SUPPORTED, &words);
    if (code == SUCCESS) sscanf(words, "%llu %llu %llu", &to->total, &to->free, &to->used);
    return code;
}

#ifndef ABSENT_nvmlDeviceGetMemoryInfo_v2
int nvmlDeviceGetMemoryInfo_v2(const char *device, Memory2 *to) {
    const char *words = "";
    int code = answer("nvmlDeviceGetMemoryInfo_v2", device, NOT_SUPPORTED, &words);
    if (to->version != (sizeof(Memory2) | 2u << 24)) return 25;
    if (code == SUCCESS)
        sscanf(words, "%llu %llu %llu %llu", &to->total, &to->reserved, &to->free, &to->used);
    return code;
}
#endif

int nvmlDeviceGetUtilizationRates(const char *device, Utilization *to) {
    const char *words = "";
    int code = answer("nvmlDeviceGetUtilizationRates", device, NOT_SUPPORTED, &words);
    if (code == SUCCESS) sscanf(words, "%u %u", &to->gpu, &to->memory);
    return code;
}

int nvmlDeviceGetPowerUsage(const char *device, unsigned *to) {
    return figure("nvmlDeviceGetPowerUsage", device, to);
}

int nvmlDeviceGetEnforcedPowerLimit(const char *device, unsigned *to) {
    return figure("nvmlDeviceGetEnforcedPowerLimit", device, to);
}

int nvmlDeviceGetTemperature(const char *device, unsigned sensor, unsigned *to) {
    return sensor == 0 ? figure("nvmlDeviceGetTemperature", device, to) : 2;
}

int nvmlDeviceGetClockInfo(const char *device, unsigned kind, unsigned *to) {
    return figure(with_number("nvmlDeviceGetClockInfo", kind), device, to);
}

int nvmlDeviceGetPcieThroughput(const char *device, unsigned counter, unsigned *to) {
    return figure(with_number("nvmlDeviceGetPcieThroughput", counter), device, to);
}

#ifndef ABSENT_nvmlDeviceGetCurrentClocksEventReasons
int nvmlDeviceGetCurrentClocksEventReasons(const char *device, unsigned long long *to) {
    return number("nvmlDeviceGetCurrentClocksEventReasons", device, to);
}
#endif

int nvmlDeviceGetCurrentClocksThrottleReasons(const char *device, unsigned long long *to) {
    return number("nvmlDeviceGetCurrentClocksThrottleReasons", device, to);
}

int nvmlDeviceGetComputeRunningProcesses_v2(const char *device, unsigned *count, Process *to) {
    return processes("nvmlDeviceGetComputeRunningProcesses_v2", device, count, to);
}

int nvmlDeviceGetGraphicsRunningProcesses_v2(const char *device, unsigned *count, Process *to) {
    return processes("nvmlDeviceGetGraphicsRunningProcesses_v2", device, count, to);
}

#ifndef ABSENT_nvmlDeviceGetComputeRunningProcesses_v3
int nvmlDeviceGetComputeRunningProcesses_v3(const char *device, unsigned *count, Process *to) {
    return processes("nvmlDeviceGetComputeRunningProcesses_v3", device, count, to);
}
#endif

#ifndef ABSENT_nvmlDeviceGetGraphicsRunningProcesses_v3
int nvmlDeviceGetGraphicsRunningProcesses_v3(const char *device, unsigned *count, Process *to) {
    return processes("nvmlDeviceGetGraphicsRunningProcesses_v3", device, count, to);
}
#endif

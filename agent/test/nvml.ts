import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A library with the functions and structures of NVML's public documentation (nvml.h of CUDA 12): no card of NVIDIA was at hand. The second
 * card is of a data center: it has no fan, and does not say what its processes use.
 */
const LIBRARY = String.raw`
typedef unsigned int u32; typedef unsigned long long u64;
typedef struct { char busIdLegacy[16]; u32 domain, bus, device, pciDeviceId, pciSubSystemId; char busId[32]; } Pci;
typedef struct { u32 gpu, memory; } Rates; typedef struct { u64 total, free, used; } Memory;
#define JOINED(a, b) a##b
#define NAMED(a, b) JOINED(a, b)
#define COMPUTE NAMED(nvmlDeviceGetComputeRunningProcesses, VERSION)
#define GRAPHICS NAMED(nvmlDeviceGetGraphicsRunningProcesses, VERSION)
typedef struct { u32 pid; u64 used;
#if INSTANCES
u32 gpuInstanceId, computeInstanceId;
#endif
} Process;
static void put(char *to, const char *from, u32 most) { u32 i = 0; for (; from[i] && i + 1 < most; i++) to[i] = from[i]; to[i] = 0; }
int nvmlInit_v2(void) { return INIT; }
int nvmlSystemGetDriverVersion(char *to, u32 most) { put(to, "560.35.03", most); return 0; }
int nvmlDeviceGetCount_v2(u32 *count) { *count = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(u32 index, u64 *device) { *device = 1000 + index; return 0; }
int nvmlDeviceGetName(u64 d, char *to, u32 most) { put(to, d == 1000 ? "NVIDIA GeForce RTX 4090" : "NVIDIA H100 PCIe", most); return 0; }
int nvmlDeviceGetUUID(u64 d, char *to, u32 most) { put(to, d == 1000 ? "GPU-1f2e" : "GPU-9a8b", most); return 0; }
int nvmlDeviceGetPciInfo_v3(u64 d, Pci *pci) { put(pci->busId, d == 1000 ? "00000000:01:00.0" : "00000000:41:00.0", 32); return 0; }
int nvmlDeviceGetUtilizationRates(u64 d, Rates *r) { r->gpu = 37; r->memory = 12; return 0; }
int nvmlDeviceGetMemoryInfo(u64 d, Memory *m) { m->total = 25757220864ull; m->free = 1; m->used = 8589934592ull; return 0; }
int nvmlDeviceGetTemperature(u64 d, int sensor, u32 *t) { *t = 61 + sensor; return 0; }
int nvmlDeviceGetPowerUsage(u64 d, u32 *mw) { *mw = 245500; return 0; }
int nvmlDeviceGetFanSpeed(u64 d, u32 *percent) { *percent = 42; return d == 1000 ? 0 : 3; }
int COMPUTE(u64 d, u32 *count, Process *p) {
  if (HANGS) pause();
  *count = 2; p[0].pid = 71; p[0].used = 6000000000ull; p[1].pid = 72; p[1].used = 1000000000ull;
  if (d != 1000) { *count = 1; p[0].used = ~0ull; } return 0; }
int GRAPHICS(u64 d, u32 *count, Process *p) { *count = 1; p[0].pid = 99; p[0].used = 250000000ull; return d == 1000 ? 0 : 3; }
`

/**
 * Builds the library by gcc, and returns its path. `INIT` is the result of its start; with `HANGS` 1 a call never returns; `VERSION` is the
 * end of the names of the lists of processes.
 */
export function buildNvml(given: { INIT?: number; HANGS?: number; VERSION?: '_v3' | '_v2' | '' | '_none' } = {}): string {
  const defines = { INIT: 0, HANGS: 0, VERSION: '_v3', INSTANCES: given.VERSION === '' ? 0 : 1, ...given }
  const folder = mkdtempSync(join(tmpdir(), 'nvml-'))
  const [source, library] = [join(folder, 'nvml.c'), join(folder, 'libnvidia-ml.so.1')]
  writeFileSync(source, LIBRARY)
  const flags = Object.entries(defines).map(([name, value]) => `-D${name}=${value}`)
  execFileSync('gcc', ['-shared', '-fPIC', '-w', ...flags, '-o', library, source])
  return library
}

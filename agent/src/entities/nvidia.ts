import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

/** What the worker reads of a card; undefined where the card has no such sensor. */
export interface NvidiaCard {
  uuid: string
  model?: string
  bus?: string
  driver?: string
  utilizationPercent?: number
  memoryUsedBytes?: number
  memoryTotalBytes?: number
  temperatureCelsius?: number
  milliwatts?: number
  fanPercent?: number
  /** The largest users of its memory first. */
  processes?: { name: string; bytes: number }[]
}

const MAX_PROCESSES = 5

/**
 * NVIDIA's cards by NVML, https://docs.nvidia.com/deploy/nvml-api/, without a child process. In a worker thread: a driver that is stuck
 * holds its caller for ever. Neither worker nor library is loaded on a host without the driver.
 */
export class NvidiaSource implements EntitySource {
  readonly name = 'NVIDIA cards'
  readonly optional = 'gpus'
  readonly #library: string
  readonly #procRoot: string
  #worker: Worker | undefined

  constructor({ library = 'libnvidia-ml.so.1', procRoot }: { library?: string; procRoot: string }) {
    this.#library = library
    this.#procRoot = procRoot
  }

  async read(): Promise<EntityReading[]> {
    if (!existsSync(`${this.#procRoot}/driver/nvidia/version`)) return []
    return (await this.#cards()).map(toEntity)
  }

  close(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
  }

  #cards(): Promise<NvidiaCard[]> {
    const workerData = { library: this.#library, procRoot: this.#procRoot, maxProcesses: MAX_PROCESSES }
    // From its text, so that it works within the agent's single file too.
    const worker = (this.#worker ??= new Worker(
      `(${readCards.toString()})(${openNvml.toString()}, ${createProcessReader.toString()})`,
      { eval: true, workerData },
    ))
    worker.unref()
    const { promise, resolve, reject } = Promise.withResolvers<NvidiaCard[]>()
    const fail = (error: unknown) => {
      this.#worker = undefined
      reject(error)
    }
    worker.once('message', (answer: NvidiaCard[] | string) => {
      worker.off('error', fail)
      if (typeof answer === 'string') reject(new Error(answer))
      else resolve(answer)
    })
    worker.once('error', fail)
    worker.postMessage('read', [])
    return promise
  }
}

function toEntity(card: NvidiaCard): EntityReading {
  const { uuid, model, bus, driver, processes = [] } = card
  const texts = processes.map(({ name, bytes }) => `${name} ${Math.round(bytes / 1e6)} MB`)
  return toReading(
    'gpu',
    // The numbers of cards change from boot to boot.
    uuid,
    {
      utilization_percent: card.utilizationPercent,
      memory_used_bytes: card.memoryUsedBytes,
      memory_total_bytes: card.memoryTotalBytes,
      temperature_celsius: card.temperatureCelsius,
      power_watts: card.milliwatts === undefined ? undefined : card.milliwatts / 1_000,
      fan_percent: card.fanPercent,
    },
    { model, driver: driver === undefined ? 'nvidia' : `nvidia ${driver}`, uuid, bus, processes: texts.join(', ') },
  )
}

/** The functions of the library. Runs in the worker: it may use nothing of this file. */
function openNvml(library: string) {
  const { dlopen } = process.getBuiltinModule('node:ffi')
  type Result = 'i32'
  const returned: Result = 'i32'
  const ofDevice = { arguments: ['u64', 'pointer'], return: returned } as const
  const textOfDevice = { arguments: ['u64', 'pointer', 'u32'], return: returned } as const
  const listOfDevice = { arguments: ['u64', 'pointer', 'pointer'], return: returned } as const
  const { functions: required } = dlopen(library, {
    nvmlInit_v2: { arguments: [], return: returned },
    nvmlDeviceGetCount_v2: { arguments: ['pointer'], return: returned },
    nvmlDeviceGetHandleByIndex_v2: { arguments: ['u32', 'pointer'], return: returned },
    nvmlDeviceGetUUID: textOfDevice,
  })
  /** A function that not every driver has. Without it the card has one value less. */
  const optional = <Definition extends NonNullable<Parameters<typeof dlopen>[1]>[string]>(
    name: string,
    definition: Definition,
  ) => {
    try {
      return dlopen(library, { [name]: definition } as Record<'it', Definition>).functions[name as 'it']
    } catch {
      return undefined
    }
  }
  // Version 3 came with driver 510 and was away in 535.98; 470 is the last for some cards.
  const processLists = ['Compute', 'Graphics'].flatMap((type) => {
    const versions = [
      { version: '_v3', bytes: 24 },
      { version: '_v2', bytes: 24 },
      { version: '', bytes: 16 },
    ]
    for (const { version, bytes } of versions) {
      const list = optional(`nvmlDeviceGet${type}RunningProcesses${version}`, listOfDevice)
      if (list) return [{ list, bytes }]
    }
    return []
  })
  return {
    required,
    processLists,
    driverVersion: optional('nvmlSystemGetDriverVersion', { arguments: ['pointer', 'u32'], return: returned }),
    modelName: optional('nvmlDeviceGetName', textOfDevice),
    pciInfo: optional('nvmlDeviceGetPciInfo_v3', ofDevice) ?? optional('nvmlDeviceGetPciInfo_v2', ofDevice),
    utilizationRates: optional('nvmlDeviceGetUtilizationRates', ofDevice),
    memoryInfo: optional('nvmlDeviceGetMemoryInfo', ofDevice),
    temperature: optional('nvmlDeviceGetTemperature', { arguments: ['u64', 'u32', 'pointer'], return: returned }),
    powerUsage: optional('nvmlDeviceGetPowerUsage', ofDevice),
    fanSpeed: optional('nvmlDeviceGetFanSpeed', ofDevice),
  }
}

/** What uses the memory of a card, the largest first. Runs in the worker: it may use nothing of this file. */
function createProcessReader(
  lists: ReturnType<typeof openNvml>['processLists'],
  procRoot: string,
  written: (bytes: number, call: (at: bigint) => number | undefined) => Buffer | undefined,
) {
  const { getRawPointer } = process.getBuiltinModule('node:ffi')
  const { readFileSync } = process.getBuiltinModule('node:fs')
  /** nvmlProcessInfo_t: pid, bytes, from version 2 on two ids of instances. */
  const PROCESS = { memoryAt: 8, most: 256 }
  const NOT_AVAILABLE = 2n ** 64n - 1n
  const nameOf = (pid: number): string => {
    try {
      return readFileSync(`${procRoot}/${pid}/comm`, 'utf8').trim()
    } catch {
      return `pid ${pid}`
    }
  }

  return (device: bigint) => {
    const bytesByName = new Map<string, number>()
    for (const { list, bytes: size } of lists) {
      const count = Buffer.alloc(4)
      count.writeUInt32LE(PROCESS.most)
      const infos = written(size * PROCESS.most, (at) => list(device, getRawPointer(count), at))
      if (!infos) continue
      for (let index = 0; index < count.readUInt32LE(0); index++) {
        const bytes = infos.readBigUInt64LE(index * size + PROCESS.memoryAt)
        const name = nameOf(infos.readUInt32LE(index * size))
        if (bytes !== NOT_AVAILABLE) bytesByName.set(name, (bytesByName.get(name) ?? 0) + Number(bytes))
      }
    }
    const processes = Array.from(bytesByName, ([name, bytes]) => ({ name, bytes }))
    return processes.sort((one, other) => other.bytes - one.bytes)
  }
}

/** Runs in the worker: it may use nothing of this file. Answers each message with the cards, or with what failed. */
function readCards(openLibrary: typeof openNvml, createReader: typeof createProcessReader): void {
  // That FFI is experimental says nothing to the people who run the agent.
  process.emitWarning = () => undefined
  const { getRawPointer } = process.getBuiltinModule('node:ffi')
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
  const { library, procRoot, maxProcesses } = workerData as { library: string; procRoot: string; maxProcesses: number }
  const SUCCESS = 0
  const SENSOR_OF_GPU = 0
  const TEXT_BYTES = 96
  /** nvmlPciInfo_t: a short text of the address, five numbers, then the address with a domain of eight digits. */
  const PCI = { bytes: 68, busAt: 36 }
  const nvml = openLibrary(library)

  /** What a call wrote; undefined where it failed: not every card has every sensor. */
  const written = (bytes: number, call: (at: bigint) => number | undefined): Buffer | undefined => {
    const out = Buffer.alloc(bytes)
    return call(getRawPointer(out)) === SUCCESS ? out : undefined
  }
  const processesOf = createReader(nvml.processLists, procRoot, written)
  const number = (call: (at: bigint) => number | undefined) => written(4, call)?.readUInt32LE(0)
  const text = (bytes: number, call: (at: bigint) => number | undefined, from = 0) => {
    const out = written(bytes, call)?.subarray(from)
    return out?.toString('utf8', 0, Math.max(0, out.indexOf(0)))
  }

  const cardOf = (device: bigint, driver: string | undefined) => {
    const uuid = text(TEXT_BYTES, (at) => nvml.required.nvmlDeviceGetUUID(device, at, TEXT_BYTES))
    const utilization = written(8, (at) => nvml.utilizationRates?.(device, at))
    const memory = written(24, (at) => nvml.memoryInfo?.(device, at))
    return {
      uuid: uuid ?? '',
      model: text(TEXT_BYTES, (at) => nvml.modelName?.(device, at, TEXT_BYTES)),
      bus: text(PCI.bytes, (at) => nvml.pciInfo?.(device, at), PCI.busAt),
      driver,
      utilizationPercent: utilization?.readUInt32LE(0),
      memoryUsedBytes: memory && Number(memory.readBigUInt64LE(16)),
      memoryTotalBytes: memory && Number(memory.readBigUInt64LE(0)),
      temperatureCelsius: number((at) => nvml.temperature?.(device, SENSOR_OF_GPU, at)),
      milliwatts: number((at) => nvml.powerUsage?.(device, at)),
      fanPercent: number((at) => nvml.fanSpeed?.(device, at)),
      processes: processesOf(device).slice(0, maxProcesses),
    }
  }

  let isStarted = false
  const read = () => {
    const result = isStarted ? SUCCESS : nvml.required.nvmlInit_v2()
    if (result !== SUCCESS) return `NVML does not start: error ${result}`
    isStarted = true
    const driver = text(TEXT_BYTES, (at) => nvml.driverVersion?.(at, TEXT_BYTES))
    const count = number((at) => nvml.required.nvmlDeviceGetCount_v2(at)) ?? 0
    const handles = Array.from({ length: count }, (_, index) =>
      written(8, (at) => nvml.required.nvmlDeviceGetHandleByIndex_v2(index, at))?.readBigUInt64LE(0),
    )
    const cards = handles.flatMap((handle) => (handle === undefined ? [] : [cardOf(handle, driver)]))
    return cards.filter(({ uuid }) => uuid !== '')
  }
  parentPort?.on('message', () => parentPort.postMessage(read(), []))
}

/** The used functions of systeminformation. What it cannot read it returns as 0, an empty string or null. */
export interface SystemInformation {
  mem(): Promise<{ total: number; available: number; swaptotal: number; swapused: number }>
  fsSize(): Promise<{ fs: string; type: string; size: number; used: number; available: number; mount: string }[]>
  networkInterfaces(): Promise<{ iface: string; internal: boolean; virtual: boolean; operstate: string }[]>
  networkStats(
    names: string,
  ): Promise<{ iface: string; operstate: string; rx_bytes: number; tx_bytes: number; rx_errors: number; tx_errors: number }[]>
  powerShellStart(): void
  powerShellRelease(): void
}

/** The functions that are used for entities. */
export interface EntityInformation {
  battery(): Promise<{
    hasBattery: boolean
    isCharging: boolean
    acConnected: boolean
    percent: number
    /** Minutes. */
    timeRemaining: number
    voltage: number
    designedCapacity: number
    maxCapacity: number
    model: string
  }>
  cpuTemperature(): Promise<{ main: number | null }>
  /** `names` separated by commas; a missing one is listed as not running. */
  services(names: string): Promise<{ name: string; running: boolean }[]>
}

/** Imported on demand: it is large and not used for samples on Linux. */
export async function loadSystemInformation(): Promise<SystemInformation & EntityInformation> {
  const { default: library } = await import('systeminformation')
  return library
}

/** What is asked of systeminformation, as it answers. What it could not read comes back as 0, an empty text or null. */
export interface Library {
  mem(): Promise<{ total: number; available: number; swaptotal: number; swapused: number }>
  fsSize(): Promise<{ fs: string; type: string; size: number; used: number; available: number; mount: string }[]>
  networkInterfaces(): Promise<{ iface: string; internal: boolean; virtual: boolean; operstate: string }[]>
  networkStats(
    names: string,
  ): Promise<{ iface: string; operstate: string; rx_bytes: number; tx_bytes: number; rx_errors: number; tx_errors: number }[]>
  powerShellStart(): void
  powerShellRelease(): void
}

/** Imported where it is used only: it is large, and no part of a sample on Linux. */
export async function loadLibrary(): Promise<Library> {
  const { default: library } = await import('systeminformation')
  return library
}

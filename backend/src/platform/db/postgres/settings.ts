import { statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'

const MB = 1024 * 1024

export interface Machine {
  memoryBytes: number
  freeDiskBytes: number
}

export async function measureMachine(folder: string): Promise<Machine> {
  const disk = await statfs(folder)
  // The limit of the container, which is "no limit" as 0 or as a number above the memory there is.
  const limit = process.constrainedMemory() || totalmem()
  return { memoryBytes: Math.min(limit, totalmem()), freeDiskBytes: disk.bavail * disk.bsize }
}

/**
 * What we set beyond Postgres' defaults; where Postgres listens is not among it. Commits stay synchronous: without that,
 * every kill lost acknowledged rows. `fsync: false` is for test clusters: it survives a killed process, not a lost machine.
 */
export function settingsFor(machine: Machine, options: { fsync: boolean }): Record<string, string> {
  return {
    // A sixteenth: the backend and the file cache live on the same host. Above 1 GB a fast stop has too much to write.
    shared_buffers: megabytes(machine.memoryBytes / 16, 64, 1024),
    effective_cache_size: megabytes(machine.memoryBytes / 2, 256, 65536),
    // 2 GB keeps checkpoints apart under full ingest; on a small disk the log must not be what fills it.
    max_wal_size: megabytes(machine.freeDiskBytes / 10, 128, 2048),
    min_wal_size: '80MB',
    max_connections: '50',
    // Both wake up five times a second otherwise. Nothing waits for them: commits are synchronous, and buffers are plenty.
    bgwriter_delay: '2s',
    wal_writer_delay: '2s',
    shared_preload_libraries: 'pg_stat_statements',
    random_page_cost: '1.1',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    logging_collector: 'off',
    log_destination: 'stderr',
    log_line_prefix: '[%p] ',
    // Failed statements are the application's to report; their details and parameters are people's data.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
    ...(options.fsync ? {} : { fsync: 'off', full_page_writes: 'off' }),
  }
}

/** Lines of a configuration file. */
export function toConfiguration(settings: Record<string, string>): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`)
  return ['# Written by Vedette at every start. ALTER SYSTEM goes before it.', ...lines, ''].join('\n')
}

function megabytes(bytes: number, least: number, most: number): string {
  return `${Math.round(Math.min(most, Math.max(least, bytes / MB)))}MB`
}

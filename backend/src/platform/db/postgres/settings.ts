import { readdir, stat, statfs } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'

const MB = 1024 * 1024

export interface Machine {
  memoryBytes: number
  freeDiskBytes: number
  /** Of the tables and indexes, at most what matters here. */
  dataBytes: number
}

/** Above this a fast stop has too much to write. */
const MOST_BUFFERS = 1024 * MB
/** Postgres' own default. */
const LEAST_BUFFERS = 128 * MB

export async function measureMachine(cluster: string): Promise<Machine> {
  const disk = await statfs(cluster)
  // The limit of the container, which is "no limit" as 0 or as a number above the memory there is.
  const limit = process.constrainedMemory() || totalmem()
  const dataBytes = await measureData(join(cluster, 'base'))
  return { memoryBytes: Math.min(limit, totalmem()), freeDiskBytes: disk.bavail * disk.bsize, dataBytes }
}

async function measureData(folder: string): Promise<number> {
  let bytes = 0
  for (const name of await readdir(folder, { recursive: true })) {
    if (bytes >= MOST_BUFFERS) break
    // A file may vanish: the children of a killed server still end.
    bytes += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0
  }
  return bytes
}

/**
 * What we set beyond Postgres' defaults; where Postgres listens is not among it. Commits stay synchronous: without that,
 * every kill lost acknowledged rows. `fsync: false` is for test clusters: it survives a killed process, not a lost machine.
 */
export function settingsFor(machine: Machine, options: { fsync: boolean }): Record<string, string> {
  const mostBuffers = Math.min(machine.memoryBytes / 16, MOST_BUFFERS)
  return {
    // As large as the data, at most a sixteenth: the backend and the file cache live on the same host. A buffer costs 124 bytes even
    // if it is never used: 1 GB of them take 16 MB.
    shared_buffers: megabytes(Math.min(mostBuffers, Math.max(machine.dataBytes, LEAST_BUFFERS)), 64, 1024),
    // Reads go ahead by three processes otherwise, which a small database in the file cache does not need.
    ...(machine.dataBytes < MOST_BUFFERS ? { io_method: 'sync' } : {}),
    // Nothing is subscribed to.
    max_logical_replication_workers: '0',
    effective_cache_size: megabytes(machine.memoryBytes / 2, 256, 65536),
    // 2 GB keeps checkpoints apart under full ingest; on a small disk the log must not be what fills it.
    max_wal_size: megabytes(machine.freeDiskBytes / 10, 128, 2048),
    min_wal_size: '80MB',
    // After a checkpoint the first change of a page writes all of it to the log. With one every 5 minutes that was half of the log of
    // a push: each server has pages of its own in the indexes of samples.
    checkpoint_timeout: '30min',
    wal_compression: 'pglz',
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
    // The folder of a test cluster may be memory. Whole pages are still logged after a checkpoint, and each new database makes two:
    // compressing them was a twentieth of all work of Postgres.
    ...(options.fsync ? {} : { fsync: 'off', full_page_writes: 'off', wal_compression: 'off', max_wal_size: '256MB' }),
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

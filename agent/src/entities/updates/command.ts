/** 40,000 lines. */
const MAX_OUTPUT_BYTES = 4_194_304
/** For some seconds of CPU, of which the service has a fifth of a core, on a host with other work. */
const LIMIT_MS = 600_000
/** The user `nobody`: what is started by root must not write either, such as the caches that apt and dnf keep. */
const NOBODY = 65_534

/**
 * Memory of its own at most 128 MB, and after all others for processor and disk. Our service forbids changes of the priority; there its
 * own share of the processor is the bound.
 */
const BOUNDED = 'ulimit -d 131072; renice -n 19 -p $$ >/dev/null 2>&1; ionice -c 3 -p $$ >/dev/null 2>&1; exec "$@" </dev/null'

export interface CommandResult {
  /** Undefined if a signal ended it. */
  code: number | undefined
  stdout: string
  stderr: string
}

/** Runs a program without a shell's interpretation of its arguments. Throws if it takes too long, says too much or is not there. */
export type RunCommand = (program: string, ...args: string[]) => Promise<CommandResult>

/** In English, without the caller's environment. `signal` ends it. */
export function createRunCommand(signal: AbortSignal): RunCommand {
  return async (program, ...args) => {
    // Loaded when it is used: most of the time no agent starts a program.
    const { execFile } = await import('node:child_process')
    const { promise, resolve, reject } = Promise.withResolvers<CommandResult>()
    execFile(
      '/bin/sh',
      ['-c', BOUNDED, 'sh', program, ...args],
      {
        signal,
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', HOME: '/nonexistent' },
        cwd: '/',
        maxBuffer: MAX_OUTPUT_BYTES,
        timeout: LIMIT_MS,
        killSignal: 'SIGKILL',
        ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
      },
      (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number')
          reject(error.killed ? new Error(`${program} took longer than ${LIMIT_MS / 1_000} s`) : error)
        else resolve({ code: error?.code === undefined ? 0 : Number(error.code), stdout, stderr })
      },
    )
    return promise
  }
}

/** The error of a program that failed, with the first line that it said. */
export function failed(program: string, { code, stdout, stderr }: CommandResult): Error {
  const line = `${stderr}\n${stdout}`.split('\n').find((each) => each.trim() !== '') ?? 'nothing'
  return new Error(`${program} ended with ${code}: ${line.slice(0, 200)}`)
}

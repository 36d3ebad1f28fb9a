import { execFile } from 'node:child_process'

/**
 * The account that Postgres runs as. `ids` is undefined when that is ourselves.
 * With ids, libuv calls setgroups(0) before setgid and setuid: no supplementary group of root is left.
 */
export interface ServiceAccount {
  name: string
  ids: { uid: number; gid: number } | undefined
}

/** Ours holds secrets, and a process of the service account can read its own: nothing of it is handed on. */
export const CLEAN_ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export interface RunResult {
  isOk: boolean
  stdout: string
  stderr: string
}

/** Runs a program to its end. A failure, even a program that is not there, is a value; `stderr` then says why. */
export function runAs(account: ServiceAccount | undefined, program: string, args: string[]): Promise<RunResult> {
  return new Promise((resolve) => {
    execFile(program, args, { env: CLEAN_ENVIRONMENT, cwd: '/', ...account?.ids }, (error, stdout, stderr) => {
      resolve({ isOk: error === null, stdout: stdout.trim(), stderr: stderr.trim() || (error?.message ?? '') })
    })
  })
}

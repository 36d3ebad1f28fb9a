import { execFileSync } from 'node:child_process'

/** Whether the program is there and succeeds. */
export function runs(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore', timeout: 5_000 })
    return true
  } catch {
    return false
  }
}

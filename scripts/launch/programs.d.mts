/** What the launcher runs: Node's own flags, the program's file and its arguments, and additional environment variables. */
export interface Program {
  argv: string[]
  environment?: Record<string, string>
  stopsWithLauncher?: boolean
}

export const PROGRAMS: Record<string, (args: readonly string[]) => Program | undefined> & {
  vedette(args: readonly string[]): Program
}

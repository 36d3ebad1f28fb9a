/** What the launcher builds, and runs: Node's own flags, the program's file and its arguments, and additional environment variables. */
export interface Program {
  builds?: string[]
  argv: string[]
  environment?: Record<string, string>
}

export const PROGRAMS: Record<string, (args: readonly string[]) => Partial<Program>> & {
  vedette(args: readonly string[]): Program
}

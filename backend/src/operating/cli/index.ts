export type { Call, CommandContext, Service } from './command.ts'
export { wantsJson } from './parse.ts'
export { announce, EXIT, reportFailure, runCommand, type Terminal } from './run.ts'

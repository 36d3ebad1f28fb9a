export { type Call, type Command, type Outcome, type Service, UsageError, type World } from './command.ts'
export { COMMANDS } from './commands.ts'
export { helpOf } from './help.ts'
export { parseCall, wantsJson } from './parse.ts'

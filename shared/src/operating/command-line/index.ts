export { completionFor } from './completion.ts'
export { type CommandDescription, type OptionDescription, type ProgramDescription, type Shell, SHELLS } from './description.ts'
export { manPage } from './man.ts'

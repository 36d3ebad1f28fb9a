import type { OldAddress } from './address.ts'
import type { DutyEntry } from './compare.ts'
import type { SourceFiles } from './files.ts'
import type { Moved, People } from './model.ts'

/** Another on-call tool: what its files become here, and who is on duty there. */
export interface Tool {
  title: string
  /** Pure. */
  read(files: SourceFiles, people: People, nowMs: number): Moved
  /** Who is on duty as it says itself, by the ids that `read` reports; what was not saved is missing. Pure. */
  rendered(files: SourceFiles): Map<string, DutyEntry[]>
  /** The addresses that its senders use, by what they become. Pure. */
  addresses(files: SourceFiles): OldAddress[]
}

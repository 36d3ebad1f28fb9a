import type { OldAddress } from './address.ts'
import type { DutyEntry } from './compare.ts'
import type { ApiClient, ApiOf, SaveFile } from './api.ts'
import type { SourceFiles } from './files.ts'
import type { PastAlert } from './history.ts'
import type { Moved, People } from './model.ts'

/** A time whose shifts the tool renders itself. */
export interface Range {
  fromMs: number
  toMs: number
}

/** Another on-call tool: what its files become here, and how they are fetched. */
export interface Tool {
  title: string
  /** Its database as one file; absent where nobody has it. Throws SourceFault. */
  readDatabase?(path: string): SourceFiles
  /** Pure. */
  read(files: SourceFiles, people: People, nowMs: number): Moved
  /** Who is on duty as it says itself, by the ids that `read` reports; what was not saved is missing. Pure. */
  rendered(files: SourceFiles): Map<string, DutyEntry[]>
  /** The addresses that its senders use, by what they become. Pure. */
  addresses(files: SourceFiles): OldAddress[]
  /** The alerts that it had; absent where they name no sender that comes. Pure. */
  history?(files: SourceFiles): PastAlert[]
  api: ApiOf
  /** Saves all that `read`, `rendered` and `addresses` use, in the form in which they read it. Throws SourceFault. */
  fetch(client: ApiClient, save: SaveFile, range: Range): Promise<void>
  /** Saves what `history` reads of a time, and answers how many alerts that are; absent where it is absent. Throws SourceFault. */
  fetchHistory?(client: ApiClient, save: SaveFile, range: Range): Promise<number>
}

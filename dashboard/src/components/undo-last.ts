import type { Client } from '@vedette/client'
import type { ChangeSet } from '@vedette/shared'
import { changes } from '../messages/changes.ts'
import { toast, toastProblem } from './toast.tsx'

/** Takes back the newest change of a resource, unless it is that of somebody else: then it says so, and the answer is undefined. */
export async function undoLast(client: Client, userId: string, id: string): Promise<ChangeSet | undefined> {
  const { change_sets: sets } = await client.changeSets.list({ resource: id, limit: 1 })
  const [last] = sets
  if (last?.applied_by?.id !== userId) {
    toastProblem(changes.changedSince)
    return undefined
  }
  const undo = await client.changeSets.undo(last.id, {})
  toast(changes.takenBack)
  return undo
}

import { CHANGE_SET_TIMEOUT_MS } from '@vedette/shared/tables'
import type { useNavigate } from '@tanstack/react-router'
import type { useCache, Viewer } from '../lib/api.ts'
import { changes } from '../messages/changes.ts'
import { toast, toastProblem } from './toast.tsx'

interface Page extends Pick<Viewer, 'client' | 'me'> {
  cache: Pick<ReturnType<typeof useCache>, 'set' | 'invalidate'>
  navigate: ReturnType<typeof useNavigate>
  path: string
}

/**
 * Takes back the newest change of a resource. Says so where that is of somebody else, and asks on its page where something would not
 * come back.
 */
export async function undoLast({ client, me, cache, navigate, path }: Page, id: string): Promise<void> {
  const { change_sets: sets } = await client.changeSets.list({ resource: id, limit: 1 })
  const [last] = sets
  if (last?.applied_by?.id !== me.id) return toastProblem(changes.changedSince)
  const open = (changeId: string, search = {}) => navigate({ to: '/changes/$changeId', params: { changeId }, search })
  const set = await client.changeSets.read(last.id)
  if (set.undo_warnings.length > 0) {
    cache.set(['changes', set.id], set)
    return open(set.id, { undo: true })
  }
  const undo = await client.changeSets.undo(set.id, {}, { timeoutMs: CHANGE_SET_TIMEOUT_MS })
  toast(changes.takenBack)
  // The page of what no longer exists would show an error.
  const isGone = undo.steps.some(({ action }) => action === 'delete') && path.includes(id)
  if (isGone) await open(undo.id)
  await cache.invalidate()
}

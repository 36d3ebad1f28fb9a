import { useNavigate } from '@tanstack/react-router'
import { useCache, useViewer } from '../lib/api.ts'

/** For a toast: takes back the newest change of a resource, which was made by the viewer. */
export function useUndo(): (id: string) => () => Promise<void> {
  const { client, me } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  return (id) => async () => {
    const { undoLast } = await import('./undo-last.ts')
    const undo = await undoLast(client, me.id, id)
    if (!undo) return
    // The page of what no longer exists would show an error.
    const isGone = undo.steps.some(({ action }) => action === 'delete') && location.pathname.includes(id)
    if (isGone) await navigate({ to: '/changes/$changeId', params: { changeId: undo.id } })
    await cache.invalidate()
  }
}

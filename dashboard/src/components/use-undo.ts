import { useNavigate } from '@tanstack/react-router'
import { useCache, useViewer } from '../lib/api.ts'

/** For a toast: takes back the newest change of a resource, which was made by the viewer. */
export function useUndo(): (id: string) => () => Promise<void> {
  const { client, me } = useViewer()
  const cache = useCache()
  const navigate = useNavigate()
  return (id) => async () => {
    const { undoLast } = await import('./undo-last.ts')
    await undoLast({ client, me, cache, navigate, path: location.pathname }, id)
  }
}

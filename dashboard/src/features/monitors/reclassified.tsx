import type { Reclassification } from '@vedette/shared'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { SkeletonRows } from '../../components/page.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { actorName } from '../../lib/person.ts'
import { dayAndClock, fullDate } from '../../lib/time.ts'
import { messages } from '../../messages/index.ts'
import { reclassify as text } from '../../messages/reclassify.ts'
import { reclassificationsQuery } from './queries.ts'

/** The reclassified intervals of a monitor, which can be taken back. */
export default function Reclassified({ monitorId, onClose }: { monitorId: string; onClose: () => void }) {
  const viewer = useViewer()
  const cache = useCache()
  const { data } = useQuery(reclassificationsQuery(viewer, monitorId))
  const at = (timestamp: string) => dayAndClock(Date.parse(timestamp))
  const takeBack = async (id: string) => {
    await viewer.client.reclassifications.remove(monitorId, id)
    toast(text.takenBack)
    await cache.invalidate('monitors')
  }
  const row = ({ id, from, to, as, comment, created_by: by, created_at: createdAt }: Reclassification) => (
    <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2.5">
      <p className="min-w-0 flex-1 basis-52 [overflow-wrap:anywhere]">
        <span className="font-medium">
          {at(from)} – {at(to)}
        </span>{' '}
        {text.kinds[as]}{' '}
        <span className="text-muted">
          {text.by(actorName(by, messages.unknown), fullDate(Date.parse(createdAt)))}: {comment}
        </span>
      </p>
      {viewer.can('monitors:update') && (
        <Button small aria-label={text.takeBackOf(at(from))} onClick={() => void takeBack(id).catch(toastError)}>
          {text.takeBack}
        </Button>
      )}
    </li>
  )
  return (
    <Dialog isOpen wide title={text.listTitle} onClose={onClose}>
      {!data && <SkeletonRows rows={3} />}
      {data?.reclassifications.length === 0 && <p className="text-muted">{text.none}</p>}
      <ul className="divide-y divide-line">{data?.reclassifications.map(row)}</ul>
    </Dialog>
  )
}

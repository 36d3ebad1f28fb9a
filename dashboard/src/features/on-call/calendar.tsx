import type { Schedule } from '@vedette/shared'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { Confirm, SecretDialog } from '../../components/dialog.tsx'
import { Panel } from '../../components/page.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { escalation } from '../../messages/escalation.ts'

const text = escalation.calendar

/** The address to which calendars subscribe. */
export function Calendar({ schedule: { id, has_calendar: hasCalendar } }: { schedule: Schedule }) {
  const { client } = useViewer()
  const cache = useCache()
  const [url, setUrl] = useState<string>()
  const [isReplacing, setReplacing] = useState(false)
  const create = async () => {
    setUrl((await client.schedules.replaceCalendar(id)).calendar_url)
    await cache.invalidate('schedules', id)
  }
  const remove = async () => {
    await client.schedules.removeCalendar(id)
    toast(text.removed)
    await cache.invalidate('schedules', id)
  }
  return (
    <Panel title={text.title}>
      <p className="mb-3 text-muted">{text.lead}</p>
      <div className="flex flex-wrap gap-2">
        {hasCalendar ? (
          <>
            <Button small onClick={() => setReplacing(true)}>
              {text.replace}
            </Button>
            <Button small onClick={() => void remove().catch(toastError)}>
              {text.remove}
            </Button>
          </>
        ) : (
          <Button small onClick={() => void create().catch(toastError)}>
            {text.create}
          </Button>
        )}
      </div>
      <Confirm
        isOpen={isReplacing}
        onClose={() => setReplacing(false)}
        title={text.replace}
        description={text.replaceLead}
        action={text.replace}
        onConfirm={create}
      />
      {url !== undefined && (
        <SecretDialog onClose={() => setUrl(undefined)} title={text.title} description={text.secretLead}>
          <CodeLines label={text.address} lines={[url]} />
        </SecretDialog>
      )}
    </Panel>
  )
}

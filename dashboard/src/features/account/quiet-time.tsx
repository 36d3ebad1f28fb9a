import type { QuietTime as Quiet } from '@vedette/shared'
import { CheckField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { ZoneField } from '../../components/zone-field.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { viewerZone } from '../../lib/time.ts'
import { useForm } from '../../lib/use-form.ts'
import { onCall } from '../../messages/on-call.ts'

const text = onCall.quiet

interface Input {
  isOn: boolean
  quiet: Quiet
}

const toBody = ({ isOn, quiet }: Input) => ({ quiet_time: isOn ? quiet : null })

/** The hours of each day in which notifications wait for the user, in the organization on display. */
export function QuietTime() {
  const { organization } = useViewer()
  return organization ? <QuietForm key={organization.id} id={organization.id} saved={organization.quiet_time} /> : null
}

function QuietForm({ id, saved }: { id: string; saved: Quiet | null }) {
  const { client } = useViewer()
  const cache = useCache()
  const save = async (input: Input) => {
    await client.me.updateMembership(id, toBody(input))
    await cache.invalidateViewer()
    toast(text.saved)
  }
  const usual: Quiet = { time_zone: viewerZone(), from: '22:00', to: '07:00', critical_passes: true }
  const form = useForm<Input>({ isOn: saved !== null, quiet: saved ?? usual }, save, { schema: ['PatchMembershipBody', toBody] })
  const { isOn, quiet } = form.input
  const change = (part: Partial<Quiet>) => form.change({ quiet: { ...quiet, ...part } })
  return (
    <Panel title={text.title}>
      <p className="mb-3 text-muted">{text.lead}</p>
      <Form form={form} action={text.save} className="grid gap-4">
        <CheckField label={text.on} checked={isOn} onChange={({ target }) => form.change({ isOn: target.checked })} />
        {isOn && (
          <>
            <div className="grid gap-4 sm:grid-cols-3">
              <TextField
                label={text.from}
                type="time"
                value={quiet.from}
                onChange={({ target }) => change({ from: target.value })}
              />
              <TextField label={text.to} type="time" value={quiet.to} onChange={({ target }) => change({ to: target.value })} />
              <ZoneField value={quiet.time_zone} onChange={({ target }) => change({ time_zone: target.value })} />
            </div>
            <CheckField
              label={text.critical}
              checked={quiet.critical_passes}
              onChange={({ target }) => change({ critical_passes: target.checked })}
            />
          </>
        )}
      </Form>
    </Panel>
  )
}

import type { QuietTime as Quiet } from '@vedette/shared'
import { CheckField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { QuietTimeFields, usualQuietTime } from '../../components/quiet-time-fields.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
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
  const form = useForm<Input>({ isOn: saved !== null, quiet: saved ?? usualQuietTime() }, save, {
    schema: ['PatchMembershipBody', toBody],
  })
  const { isOn, quiet } = form.input
  return (
    <Panel title={text.title}>
      <p className="mb-3 text-muted">{text.lead}</p>
      <Form form={form} action={text.save} className="grid gap-4">
        <CheckField label={text.on} checked={isOn} onChange={({ target }) => form.change({ isOn: target.checked })} />
        {isOn && <QuietTimeFields quiet={quiet} onChange={(changed) => form.change({ quiet: changed })} />}
      </Form>
    </Panel>
  )
}

import type { CreateReclassificationBody } from '@vedette/shared'
import { Dialog } from '../../components/dialog.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { viewerZone } from '../../lib/time.ts'
import { instantText, localTimeAt } from '../../lib/time-zone.ts'
import { useForm } from '../../lib/use-form.ts'
import { reclassify as text } from '../../messages/reclassify.ts'

type Kind = CreateReclassificationBody['as']
const KINDS = ['maintenance', 'excluded', 'counted'] as const satisfies readonly Kind[]

interface Props {
  monitorId: string
  /** What the dialog begins with, ms. */
  fromMs: number
  toMs: number
  onClose: () => void
}

/** Makes an interval of a monitor count differently. */
export default function Reclassify({ monitorId, fromMs, toMs, onClose }: Props) {
  const { client } = useViewer()
  const cache = useCache()
  const zone = viewerZone()
  const initial = { from: localTimeAt(fromMs, zone), to: localTimeAt(toMs, zone), as: 'maintenance' as Kind, comment: '' }
  // The fields have minutes: what nobody changed stays as exact as it was.
  const toBody = ({ from, to, ...rest }: typeof initial): CreateReclassificationBody => ({
    ...rest,
    from: from === initial.from ? new Date(fromMs).toISOString() : instantText(from, zone),
    to: to === initial.to ? new Date(toMs).toISOString() : instantText(to, zone),
  })
  const form = useForm(
    initial,
    async (input, idempotencyKey) => {
      await client.reclassifications.create(monitorId, toBody(input), { idempotencyKey })
      toast(text.done)
      await cache.invalidate('monitors')
      onClose()
    },
    { schema: ['CreateReclassificationBody', toBody] },
  )
  return (
    <Dialog isOpen title={text.title} description={text.lead} onClose={onClose}>
      <Form form={form} action={text.submit} onCancel={onClose}>
        <SelectField label={text.as} {...form.field('as')}>
          {KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {text.kinds[kind]}
            </option>
          ))}
        </SelectField>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={text.from} type="datetime-local" {...form.field('from')} />
          <TextField label={text.to} type="datetime-local" {...form.field('to')} />
        </div>
        <TextArea label={text.comment} required {...form.field('comment')} />
      </Form>
    </Dialog>
  )
}

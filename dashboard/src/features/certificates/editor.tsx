import type { Certificate } from '@vedette/shared'
import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { certificates as text } from '../../messages/certificates.ts'
import { type CertificateInput, toBody, toInput } from './input.ts'

/** Adds a certificate by hand, or changes one. */
export function CertificateEditor({ one, onClose }: { one?: Certificate; onClose: () => void }) {
  const { client } = useViewer()
  const cache = useCache()
  const [initial] = useState(() => toInput(one))
  const save = async (input: CertificateInput, idempotencyKey: string) => {
    if (one) await client.certificates.update(one.id, toBody(input))
    else await client.certificates.create(toBody(input), { idempotencyKey })
    await cache.invalidate('certificates')
    toast(text.saved)
    onClose()
  }
  const form = useForm(initial, save, { schema: ['CreateCertificateBody', toBody] })
  return (
    <Dialog isOpen onClose={onClose} title={one?.name ?? text.add}>
      <Form form={form} action={text.save}>
        <TextField label={text.name} hint={text.nameHint} {...form.field('name')} maxLength={MAX_NAME_LENGTH} required />
        <TextField label={text.end} type="datetime-local" {...form.field('end', 'not_after')} required />
      </Form>
    </Dialog>
  )
}

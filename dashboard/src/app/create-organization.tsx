import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { Dialog } from '../components/dialog.tsx'
import { TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { useCache, useViewer } from '../lib/api.ts'
import { useForm } from '../lib/use-form.ts'
import { messages } from '../messages/index.ts'

const text = messages.signIn.newOrganization

export function CreateOrganization({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const { client } = useViewer()
  const cache = useCache()
  const create = async (input: { name: string }, idempotencyKey: string) => {
    const { id } = await client.organizations.create(input, { idempotencyKey })
    await cache.invalidateViewer()
    onClose()
    onCreated(id)
  }
  const form = useForm({ name: '' }, create, { schema: ['OrganizationBody', (input) => input] })
  return (
    <Dialog title={text.title} isOpen onClose={onClose}>
      <Form form={form} action={text.submit}>
        <TextField label={text.name} {...form.field('name')} maxLength={MAX_NAME_LENGTH} required />
      </Form>
    </Dialog>
  )
}

import type { ServerDetails } from '@vedette/shared'
import { MAX_DISPLAY_NAME_LENGTH } from '@vedette/shared/tables'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { TagEditor } from '../../components/tags.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { messages } from '../../messages/index.ts'

const text = messages.servers.edit

export function EditServer({ server, onClose }: { server: ServerDetails; onClose: () => void }) {
  const { client } = useViewer()
  const cache = useCache()
  const form = useForm({ name: server.display_name ?? '', tags: server.tags }, async ({ name, tags }) => {
    const display_name = name.trim() === '' ? null : name.trim()
    cache.set(['servers', server.id], await client.servers.update(server.id, { display_name, tags }))
    toast(messages.done.saved)
    onClose()
    await cache.invalidate('servers', 'list')
  })
  return (
    <Dialog isOpen onClose={onClose} title={text.title}>
      <Form form={form} action={messages.actions.save} onCancel={onClose}>
        <TextField
          label={text.displayName}
          hint={text.displayHint(server.hostname)}
          {...form.field('name')}
          maxLength={MAX_DISPLAY_NAME_LENGTH}
        />
        <TagEditor tags={form.input.tags} onChange={(tags) => form.change({ tags })} />
      </Form>
    </Dialog>
  )
}

import type { ServerDetails } from '@vedette/shared'
import { MAX_DISPLAY_NAME_LENGTH } from '@vedette/shared/tables'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { TagEditor } from '../../components/tags.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { changedFields } from '../../lib/edits.ts'
import { useForm } from '../../lib/use-form.ts'
import { messages } from '../../messages/index.ts'

const text = messages.servers.edit

export function EditServer({ server, onClose }: { server: ServerDetails; onClose: () => void }) {
  const { client } = useViewer()
  const cache = useCache()
  // The page reads the server again while one types.
  const [initial] = useState({ name: server.display_name ?? '', tags: server.tags })
  const save = async (input: typeof initial) => {
    // What somebody else changed meanwhile stays.
    const changes = changedFields(toBody(initial), toBody(input))
    if (Object.keys(changes).length > 0) cache.set(['servers', server.id], await client.servers.update(server.id, changes))
    toast(messages.done.saved)
    onClose()
    await cache.invalidate('servers', 'list')
  }
  const form = useForm(initial, save, { schema: ['PatchServerBody', toBody] })
  return (
    <Dialog isOpen onClose={onClose} title={text.title}>
      <Form form={form} action={messages.actions.save} onCancel={onClose}>
        <TextField
          label={text.displayName}
          hint={text.displayHint(server.hostname)}
          {...form.field('name', 'display_name')}
          maxLength={MAX_DISPLAY_NAME_LENGTH}
        />
        <TagEditor tags={form.input.tags} onChange={(tags) => form.change({ tags })} />
      </Form>
    </Dialog>
  )
}

const toBody = ({ name, tags }: { name: string; tags: readonly string[] }) => ({
  display_name: name.trim() === '' ? null : name.trim(),
  tags: [...tags],
})

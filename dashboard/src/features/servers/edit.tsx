import type { ServerDetails } from '@vedette/shared'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormFault, TextField } from '../../components/field.tsx'
import { TagEditor } from '../../components/tags.tsx'
import { toast } from '../../components/toast.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { sentenceOf } from '../../lib/errors.ts'
import { text } from '../../messages/index.ts'

const words = text.servers.edit

export function EditServer({ server, onClose }: { server: ServerDetails; onClose: () => void }) {
  const { client } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const [name, setName] = useState(server.display_name ?? '')
  const [tags, setTags] = useState<readonly string[]>(server.tags)
  const [fault, setFault] = useState<string>()
  const save = async () => {
    try {
      const changed = await client.servers.update(server.id, {
        display_name: name.trim() === '' ? null : name.trim(),
        tags: [...tags],
      })
      queries.setQueryData([scope, 'servers', server.id], changed)
      toast(words.saved)
      onClose()
      await queries.invalidateQueries({ queryKey: [scope, 'servers', 'list'] })
    } catch (error) {
      setFault(sentenceOf(error))
    }
  }
  return (
    <Dialog isOpen onClose={onClose} title={words.title}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextField
          label={words.displayName}
          hint={words.displayHint(server.hostname)}
          value={name}
          maxLength={255}
          onChange={(event) => setName(event.target.value)}
        />
        <TagEditor tags={tags} onChange={setTags} />
        <FormFault>{fault}</FormFault>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{text.actions.cancel}</Button>
          <Button type="submit" look="primary">
            {text.actions.save}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

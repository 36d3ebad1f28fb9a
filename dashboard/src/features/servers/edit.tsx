import type { Dependency, ServerDetails } from '@vedette/shared'
import { MAX_DISPLAY_NAME_LENGTH } from '@vedette/shared/tables'
import { useState } from 'react'
import { DependencyEditor } from '../../components/dependencies.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Origin, useOverwriteQuestion } from '../../components/managed.tsx'
import { TagEditor } from '../../components/tags.tsx'
import { toast } from '../../components/toast.tsx'
import { useUndo } from '../../components/use-undo.ts'
import { useCache, useViewer } from '../../lib/api.ts'
import { createPart } from '../../lib/create-part.tsx'
import { type DocumentationInput, toDocumentationInput, toTargetDocumentation } from '../../lib/documentation.ts'
import { changedFields } from '../../lib/edits.ts'
import { fieldErrors } from '../../lib/errors.ts'
import { useForm } from '../../lib/use-form.ts'
import { messages } from '../../messages/index.ts'

const text = messages.servers.edit
const { Part: DocumentationFields } = createPart(() => import('../../components/documentation-fields.tsx'))

export function EditServer({ server, onClose }: { server: ServerDetails; onClose: () => void }) {
  const { client } = useViewer()
  const cache = useCache()
  const undo = useUndo()
  const { confirmOverwrite, question } = useOverwriteQuestion(server.managed)
  // The page reads the server again while one types.
  const [initial] = useState<ServerInput>({
    name: server.display_name ?? '',
    tags: server.tags,
    dependsOn: server.depends_on,
    documentation: toDocumentationInput(server),
  })
  const save = async (input: ServerInput) => {
    // What somebody else changed meanwhile stays.
    const changes = changedFields(toBody(initial), toBody(input))
    const isChanged = Object.keys(changes).length > 0
    if (isChanged) await confirmOverwrite()
    if (isChanged) cache.set(['servers', server.id], await client.servers.update(server.id, changes))
    toast(messages.done.saved, isChanged ? undo(server.id) : undefined)
    onClose()
    await cache.invalidate('servers', 'list')
  }
  const form = useForm(initial, save, { schema: ['PatchServerBody', toBody] })
  return (
    <>
      <Dialog isOpen onClose={onClose} title={text.title}>
        <Origin id={server.id} managed={server.managed} />
        <Form form={form} action={messages.actions.save} onCancel={onClose}>
          <TextField
            label={text.displayName}
            hint={text.displayHint(server.hostname)}
            {...form.field('name', 'display_name')}
            maxLength={MAX_DISPLAY_NAME_LENGTH}
          />
          <TagEditor tags={form.input.tags} onChange={(tags) => form.change({ tags })} />
          <DependencyEditor
            dependsOn={form.input.dependsOn}
            errors={fieldErrors(form.error)}
            onChange={(dependsOn) => form.change({ dependsOn })}
          />
          <DocumentationFields
            documentation={form.input.documentation}
            errors={fieldErrors(form.error)}
            onChange={(documentation) => form.change({ documentation })}
          />
        </Form>
      </Dialog>
      {question}
    </>
  )
}

interface ServerInput {
  name: string
  tags: readonly string[]
  dependsOn: readonly Dependency[]
  documentation: DocumentationInput
}

const toBody = ({ name, tags, dependsOn, documentation }: ServerInput) => ({
  display_name: name.trim() === '' ? null : name.trim(),
  tags: [...tags],
  depends_on: [...dependsOn],
  ...toTargetDocumentation(documentation),
})

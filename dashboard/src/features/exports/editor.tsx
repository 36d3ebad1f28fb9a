import type { Export } from '@vedette/shared'
import { MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { CheckField, CheckList, SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { toast } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { changedFields } from '../../lib/edits.ts'
import { useForm } from '../../lib/use-form.ts'
import { exports as text } from '../../messages/exports.ts'
import { type Input, SAMPLES, toBody, toInput, toPatch } from './input.ts'

/** Adds an export, or changes one. */
export function ExportEditor({ one, onClose }: { one?: Export; onClose: () => void }) {
  const { client } = useViewer()
  const cache = useCache()
  // The list reads the export again while one types.
  const [initial] = useState(() => toInput(one))
  const save = async (input: Input, idempotencyKey: string) => {
    if (one) {
      // What somebody else changed meanwhile stays.
      const changes = changedFields(toPatch(initial), toPatch(input))
      if (Object.keys(changes).length > 0) await client.exports.update(one.id, changes)
    } else await client.exports.create(toBody(input), { idempotencyKey })
    await cache.invalidate('exports')
    toast(text.saved)
    onClose()
  }
  const form = useForm(initial, save, { schema: one ? ['PatchExportBody', toPatch] : ['CreateExportBody', toBody] })
  const { input, change, field } = form
  return (
    <Dialog isOpen onClose={onClose} title={one?.name ?? text.add}>
      <Form form={form} action={text.save}>
        <TextField label={text.name} {...field('name')} maxLength={MAX_NAME_LENGTH} required />
        {!one && (
          <SelectField label={text.kind} {...field('kind')}>
            {(['remote_write', 'otlp'] as const).map((kind) => (
              <option key={kind} value={kind}>
                {text.kinds[kind]}
              </option>
            ))}
          </SelectField>
        )}
        <TextField label={text.url} hint={text.urlHint} {...field('url')} mono required />
        <TextArea label={text.headers} hint={text.headersHint} {...field('headers')} mono autoComplete="off" />
        <CheckList
          label={text.samples}
          options={SAMPLES.map((value) => ({ value, label: text.sampleKinds[value] }))}
          chosen={input.samples}
          error={field('samples').error}
          onChange={(chosen) => change({ samples: SAMPLES.filter((one) => chosen.includes(one)) })}
        />
        <CheckField label={text.enabled} checked={input.enabled} onChange={({ target }) => change({ enabled: target.checked })} />
      </Form>
    </Dialog>
  )
}

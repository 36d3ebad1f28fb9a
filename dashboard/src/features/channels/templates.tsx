import type { ChannelPreview } from '@vedette/shared'
import { CHANNEL_TEXTS } from '@vedette/shared/tables'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormError } from '../../components/field.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { useViewer } from '../../lib/api.ts'
import { channels } from '../../messages/channels.ts'
import { channelFields, isTemplate } from '../../lib/channel-fields.ts'
import type { ChannelInput } from './input.ts'

const text = channels.templates

interface Props {
  input: ChannelInput
  errors: Readonly<Record<string, string>>
  onChange: (part: Partial<ChannelInput>) => void
}

/** The texts of an organization's own, with a preview on its newest incident. */
export function Templates({ input: { type, config }, errors, onChange }: Props) {
  const { client } = useViewer()
  const [preview, setPreview] = useState<ChannelPreview>()
  const [error, setError] = useState<unknown>()
  const fields = channelFields(type).filter(({ name }) => isTemplate(name))
  if (fields.length === 0) return null
  const written = fields.flatMap(({ name }) => ((config[name] ?? '').trim() === '' ? [] : [[name, config[name]] as const]))
  const show = () => {
    setError(undefined)
    client.channels.preview({ type, ...Object.fromEntries(written) }).then(setPreview, setError)
  }
  const isOpen = written.length > 0 || fields.some(({ isRequired }) => isRequired)
  return (
    <details className="panel" open={isOpen}>
      <summary className="px-4 py-3 font-semibold">{text.title}</summary>
      <div className="grid gap-4 px-4 pb-4">
        <p className="text-muted">{text.lead}</p>
        {fields.map(({ name, isRequired }) => (
          <TextArea
            key={`${type} ${name}`}
            label={CHANNEL_TEXTS[name].label}
            hint={isRequired ? undefined : text.empty}
            error={errors[`config.${name}`]}
            mono
            rows={name === 'title_template' ? 2 : 6}
            spellCheck={false}
            required={isRequired}
            value={config[name] ?? ''}
            onChange={(event) => onChange({ config: { ...config, [name]: event.target.value } })}
          />
        ))}
        <div>
          <Button small onClick={show}>
            {text.preview}
          </Button>
        </div>
        <FormError error={error} />
        {preview && <Preview preview={preview} />}
      </div>
    </details>
  )
}

function Preview({ preview: { incident_id: incident, title, text: lines, body, error } }: { preview: ChannelPreview }) {
  return (
    <section aria-label={text.preview} className="grid gap-2">
      <p className="text-muted">{incident === null ? text.ofExample : text.ofNewest}</p>
      {error !== null && <p className="rounded-lg bg-bad-ground px-3 py-2 text-bad">{text.failed(error)}</p>}
      {body === null ? (
        <>
          <p className="font-semibold">{title}</p>
          <p className="whitespace-pre-wrap break-words">{lines}</p>
        </>
      ) : (
        <pre className="overflow-x-auto whitespace-pre-wrap break-words font-mono text-[0.9rem]">{body}</pre>
      )}
    </section>
  )
}

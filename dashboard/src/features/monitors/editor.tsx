import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CheckField, Field, FormFault, SelectField, TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { TagEditor } from '../../components/tags.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { fieldFaults, sentenceOf } from '../../lib/errors.ts'
import { useDraft } from '../../lib/use-draft.ts'
import { text } from '../../messages/index.ts'
import { AssertionRows } from './assertion-rows.tsx'
import { type Draft, METHODS, takesBody } from './draft.ts'
import { HeaderRows } from './header-rows.tsx'
import { regionsQuery } from './queries.ts'
import { Trial } from './trial.tsx'

const words = text.monitors.editor

interface Props {
  draft: Draft
  action: string
  onSave: (draft: Draft) => Promise<void>
}

/** A definition, and beside it what one check of it sees before it is kept. */
export function Editor({ draft: given, action, onSave }: Props) {
  const { draft, change, error, setError, isBusy, onSubmit } = useDraft(given, onSave)
  const faults = fieldFaults(error)
  const input = (name: 'name' | 'url' | 'interval' | 'timeout' | 'confirmations') => ({
    value: draft[name],
    fault: faults[name],
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  })
  return (
    <form noValidate className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]" onSubmit={onSubmit}>
      <div className="grid gap-4">
        <Panel>
          <div className="grid gap-4 pt-1">
            <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_8rem]">
              <TextField
                label={words.url}
                hint={words.urlHint}
                type="url"
                inputMode="url"
                spellCheck={false}
                autoComplete="off"
                placeholder="https://"
                {...input('url')}
              />
              <SelectField label={words.method} value={draft.method} onChange={(event) => change({ method: event.target.value })}>
                {METHODS.map((method) => (
                  <option key={method}>{method}</option>
                ))}
              </SelectField>
            </div>
            <TextField label={words.name} maxLength={200} {...input('name')} />
            <div className="grid gap-4 sm:grid-cols-3">
              <TextField label={words.interval} hint={words.seconds} type="number" min={10} max={86_400} {...input('interval')} />
              <TextField label={words.timeout} hint={words.seconds} type="number" min={1} max={60} {...input('timeout')} />
              <TextField
                label={words.confirmations}
                hint={words.confirmationsHint}
                type="number"
                min={1}
                max={10}
                {...input('confirmations')}
              />
            </div>
            <RegionChoice chosen={draft.regions} onChange={(regions) => change({ regions })} />
            <TagEditor tags={draft.tags} onChange={(tags) => change({ tags })} />
          </div>
        </Panel>
        <Panel title={words.assertions}>
          <AssertionRows assertions={draft.assertions} faults={faults} onChange={(assertions) => change({ assertions })} />
        </Panel>
        <More draft={draft} onChange={change} />
      </div>
      <div className="grid gap-4 xl:sticky xl:top-4">
        <Trial draft={draft} onFault={setError} />
        <FormFault>{error === undefined ? undefined : sentenceOf(error)}</FormFault>
        <Button type="submit" look="primary" disabled={isBusy} className="min-h-11">
          {action}
        </Button>
      </div>
    </form>
  )
}

/** Nothing to choose where there is one. */
function RegionChoice({ chosen, onChange }: { chosen: readonly string[]; onChange: (regions: string[]) => void }) {
  const { client } = useViewer()
  const { data } = useQuery(regionsQuery(useScope(), client))
  if (!data || data.regions.length < 2) return null
  return (
    <fieldset>
      <legend className="mb-1 font-semibold text-[0.95rem]">{words.regions}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {data.regions.map(({ id, name, status }) => (
          <CheckField
            key={id}
            label={name}
            hint={status === 'offline' ? text.status['offline'] : undefined}
            checked={chosen.includes(id)}
            onChange={(event) => onChange(event.target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))}
          />
        ))}
      </div>
    </fieldset>
  )
}

/** What most monitors do not need. */
function More({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  const [isOpen, setOpen] = useState(draft.headers.length > 0 || draft.body !== '' || !draft.followRedirects || !draft.verifyTls)
  return (
    <Disclosure title={words.more} isOpen={isOpen} onToggle={setOpen}>
      <HeaderRows headers={draft.headers} onChange={(headers) => onChange({ headers })} />
      {takesBody(draft.method) && (
        <Field label={words.body}>
          {(ids) => (
            <textarea
              {...ids}
              rows={4}
              spellCheck={false}
              value={draft.body}
              onChange={(event) => onChange({ body: event.target.value })}
              className="field font-mono text-[0.95rem]"
            />
          )}
        </Field>
      )}
      <CheckField
        label={words.redirects}
        hint={words.redirectsHint}
        checked={draft.followRedirects}
        onChange={(event) => onChange({ followRedirects: event.target.checked })}
      />
      <CheckField
        label={words.tls}
        hint={words.tlsHint}
        checked={draft.verifyTls}
        onChange={(event) => onChange({ verifyTls: event.target.checked })}
      />
    </Disclosure>
  )
}

function Disclosure({
  title,
  isOpen,
  onToggle,
  children,
}: {
  title: string
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
  children: ReactNode
}) {
  return (
    <details className="panel" open={isOpen} onToggle={(event) => onToggle(event.currentTarget.open)}>
      <summary className="px-4 py-3 font-semibold">{title}</summary>
      <div className="grid gap-4 px-4 pb-4">{children}</div>
    </details>
  )
}

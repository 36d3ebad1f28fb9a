import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CodeLines } from '../../components/copy.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CheckField, FormFault, SelectField, TextField } from '../../components/field.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { fieldFaults, sentenceOf } from '../../lib/errors.ts'
import { text } from '../../messages/index.ts'

const words = text.settings.keys
const SCOPES = ['read', 'write', 'agent', 'admin'] as const
type Scope = (typeof SCOPES)[number]
const DAY_MS = 86_400_000
const EXPIRY_DAYS = { never: undefined, day: 1, month: 30, year: 365 } as const
type Expiry = keyof typeof EXPIRY_DAYS

/** Asks what for and how far; the secret is shown this once. */
export function MakeKey({ onClose }: { onClose: () => void }) {
  const { client, organization } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['read'])
  const [expiry, setExpiry] = useState<Expiry>('never')
  const [error, setError] = useState<unknown>()
  const [secret, setSecret] = useState<string>()
  const make = async () => {
    const days = EXPIRY_DAYS[expiry]
    const expires_at = days === undefined ? null : new Date(Date.now() + days * DAY_MS).toISOString()
    try {
      const { key } = await client.apiKeys.create({ name, scopes: [...scopes], expires_at })
      setSecret(key)
      await queries.invalidateQueries({ queryKey: [scope, 'api-keys'] })
    } catch (thrown) {
      setError(thrown)
    }
  }
  if (secret !== undefined) return <Secret value={secret} onClose={onClose} />
  const offered = SCOPES.filter((each) => each !== 'admin' || organization?.role === 'owner')
  return (
    <Dialog isOpen onClose={onClose} title={words.make}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <TextField
          label={words.name}
          hint={words.nameHint}
          fault={fieldFaults(error)['name']}
          value={name}
          maxLength={200}
          required
          onChange={(event) => setName(event.target.value)}
        />
        <fieldset className="grid gap-2">
          <legend className="mb-1 font-semibold text-[0.95rem]">{words.scopes}</legend>
          {offered.map((each) => (
            <CheckField
              key={each}
              label={each}
              hint={text.settings.scopes[each]}
              checked={scopes.includes(each)}
              onChange={(event) => setScopes(event.target.checked ? [...scopes, each] : scopes.filter((one) => one !== each))}
            />
          ))}
        </fieldset>
        <SelectField label={words.expires} value={expiry} onChange={(event) => setExpiry(event.target.value as Expiry)}>
          {(Object.keys(EXPIRY_DAYS) as Expiry[]).map((each) => (
            <option key={each} value={each}>
              {words.expiry[each]}
            </option>
          ))}
        </SelectField>
        <FormFault>{error === undefined ? undefined : sentenceOf(error)}</FormFault>
        <Button type="submit" look="primary" className="justify-self-end" disabled={scopes.length === 0}>
          {words.make}
        </Button>
      </form>
    </Dialog>
  )
}

function Secret({ value, onClose }: { value: string; onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title={words.madeTitle} description={words.madeLead} wide>
      <div className="grid gap-3">
        <CodeLines label={words.key} lines={[value]} />
        <CodeLines label={words.try} lines={[`curl ${location.origin}/v1/servers -H 'X-API-Key: ${value}'`]} />
        <Button look="primary" className="justify-self-end" onClick={onClose}>
          {text.actions.done}
        </Button>
      </div>
    </Dialog>
  )
}

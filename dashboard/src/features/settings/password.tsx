import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormFault, TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { useViewer } from '../../lib/api.ts'
import { fieldFaults, sentenceOf } from '../../lib/errors.ts'
import { text } from '../../messages/index.ts'

const words = text.settings.password

/** The answer is a new session, which goes on here; all others are over. */
export function Password() {
  const { client, renew } = useViewer()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [error, setError] = useState<unknown>()
  const save = async () => {
    try {
      const { token } = await client.auth.changePassword({ current_password: current, new_password: next })
      renew(token)
      setCurrent('')
      setNext('')
      setError(undefined)
      toast(words.done)
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <Panel title={words.title}>
      <form
        className="grid max-w-sm gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextField
          label={words.current}
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <TextField
          label={words.next}
          hint={words.hint}
          fault={fieldFaults(error)['new_password']}
          type="password"
          autoComplete="new-password"
          minLength={12}
          maxLength={128}
          required
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
        <FormFault>{error === undefined ? undefined : sentenceOf(error)}</FormFault>
        <Button type="submit" className="justify-self-start">
          {words.submit}
        </Button>
      </form>
    </Panel>
  )
}

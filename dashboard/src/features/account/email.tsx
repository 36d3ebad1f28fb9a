import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useCache, useViewer } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { settingsPages } from '../../messages/settings-pages.ts'

const text = settingsPages.email
const EMPTY = { email: '', password: '' }

/** Whether the e-mail is verified, and a form to change it. With a mail server it changes when the mailed link is opened. */
export function Email() {
  const { client, me } = useViewer()
  const cache = useCache()
  const save = async (input: typeof EMPTY) => {
    const { email, pending_email: pending } = await client.auth.changeEmail(input)
    form.reset()
    toast(pending === null ? text.changed(email) : text.mailed(pending))
    await cache.invalidateViewer()
  }
  const form = useForm(EMPTY, save, { schema: ['ChangeEmailBody', (input) => input] })
  const verify = async () => {
    await client.auth.requestEmailVerification()
    toast(text.mailed(me.email))
  }
  return (
    <Panel title={text.title}>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <p className="text-soft">{me.email_verified ? text.verified(me.email) : text.unverified(me.email)}</p>
        {!me.email_verified && <Button onClick={() => void verify().catch(toastError)}>{text.verify}</Button>}
      </div>
      {me.pending_email !== null && <p className="mb-4 text-soft">{text.pending(me.pending_email)}</p>}
      <Form form={form} action={text.submit} variant="plain" className="max-w-sm">
        <TextField label={text.next} type="email" autoComplete="email" maxLength={254} required {...form.field('email')} />
        <TextField label={text.password} type="password" autoComplete="current-password" required {...form.field('password')} />
      </Form>
    </Panel>
  )
}

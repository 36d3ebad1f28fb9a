import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { useViewer } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { settingsPages } from '../../messages/settings-pages.ts'

const text = settingsPages.deleteAccount

/** Deletes the account of the user after their password. */
export function DeleteAccount() {
  const { client, signOut } = useViewer()
  const form = useForm({ password: '' }, async (input) => {
    await client.auth.deleteAccount(input)
    signOut()
  })
  return (
    <Panel title={text.title}>
      <p className="mb-4 text-soft">{text.lead}</p>
      <Form form={form} action={text.title} variant="plain" className="max-w-sm" isDisabled={form.input.password === ''}>
        <TextField label={text.password} type="password" autoComplete="current-password" required {...form.field('password')} />
      </Form>
    </Panel>
  )
}

import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '@vedette/shared/tables'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { useViewer } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { settingsPages } from '../../messages/settings-pages.ts'

const text = settingsPages.password
const EMPTY = { current_password: '', new_password: '' }

/** Changes the password. The API ends all sessions and answers a new one, which continues here. */
export function Password() {
  const { client, renew, isRemembered } = useViewer()
  const save = async (input: typeof EMPTY) => {
    const { token } = await client.auth.changePassword({ ...input, remember: isRemembered() })
    renew(token)
    form.reset()
    toast(text.changed)
  }
  const form = useForm(EMPTY, save, { schema: ['ChangePasswordBody', (input) => input] })
  return (
    <Panel title={text.title}>
      <Form form={form} action={text.submit} variant="plain" className="max-w-sm">
        <TextField
          label={text.current}
          type="password"
          autoComplete="current-password"
          required
          {...form.field('current_password')}
        />
        <TextField
          label={text.next}
          hint={text.hint(PASSWORD_MIN_LENGTH, PASSWORD_MAX_LENGTH)}
          type="password"
          autoComplete="new-password"
          minLength={PASSWORD_MIN_LENGTH}
          maxLength={PASSWORD_MAX_LENGTH}
          required
          {...form.field('new_password')}
        />
      </Form>
    </Panel>
  )
}

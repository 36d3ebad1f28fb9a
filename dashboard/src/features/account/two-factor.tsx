import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { encode } from 'uqr'
import { Button } from '../../components/button.tsx'
import { CodeLines, CopyButton } from '../../components/copy.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { toast, toastError } from '../../components/toast.tsx'
import { useViewer } from '../../lib/api.ts'
import { fieldErrors } from '../../lib/errors.ts'
import { useForm } from '../../lib/use-form.ts'
import { settingsPages } from '../../messages/settings-pages.ts'

const text = settingsPages.totp

interface Enrolment {
  secret: string
  otpauth_url: string
  recovery_codes: string[]
}

export function TwoFactor() {
  const { client } = useViewer()
  const queries = useQueryClient()
  const { data } = useQuery({ queryKey: ['totp'], queryFn: ({ signal }) => client.totp.read({ signal }) })
  const [enrolment, setEnrolment] = useState<Enrolment>()
  const [isDisabling, setDisabling] = useState(false)
  const [isPasswordNeeded, setPasswordNeeded] = useState(false)
  const showChange = async (message: string) => {
    setEnrolment(undefined)
    setDisabling(false)
    toast(message)
    await Promise.all(['totp', 'me'].map((name) => queries.invalidateQueries({ queryKey: [name] })))
  }
  const setUp = async (password?: string) => {
    const answer = await client.totp.setUp(password === undefined ? {} : { password })
    if ('secret' in answer) setEnrolment(answer)
    setPasswordNeeded(false)
  }
  // A session that is not young needs the password.
  const start = () =>
    setUp().catch((error: unknown) =>
      fieldErrors(error)['password'] === undefined ? toastError(error) : setPasswordNeeded(true),
    )
  return (
    <Panel title={text.title}>
      {data?.enabled ? (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p>{text.on(data.recovery_codes_left)}</p>
          <Button onClick={() => setDisabling(true)}>{text.disable}</Button>
        </div>
      ) : enrolment ? (
        <Confirmation enrolment={enrolment} onEnabled={() => void showChange(text.enabled)} />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-soft">{text.off}</p>
          <Button onClick={() => void start()}>{text.setUp}</Button>
        </div>
      )}
      {isPasswordNeeded && (
        <Dialog isOpen onClose={() => setPasswordNeeded(false)} title={text.title}>
          <SecretForm label={text.password} type="password" action={text.setUp} onSubmit={setUp} />
        </Dialog>
      )}
      {isDisabling && (
        <Dialog isOpen onClose={() => setDisabling(false)} title={text.disableTitle}>
          <SecretForm
            label={text.password}
            type="password"
            action={text.disable}
            onSubmit={async (password) => {
              await client.totp.remove({ password })
              await showChange(text.disabled)
            }}
          />
        </Dialog>
      )}
    </Panel>
  )
}

function Confirmation({ enrolment, onEnabled }: { enrolment: Enrolment; onEnabled: () => void }) {
  const { client } = useViewer()
  const { secret, otpauth_url, recovery_codes } = enrolment
  return (
    <div className="grid gap-5 sm:grid-cols-[12rem_minmax(0,1fr)]">
      <QrCode value={otpauth_url} />
      <div className="grid content-start gap-4">
        <p>
          {text.scan}
          <span className="mt-1 flex items-center gap-1 font-mono text-[0.95rem] [overflow-wrap:anywhere]">
            {secret}
            <CopyButton value={secret} />
          </span>
        </p>
        <SecretForm
          label={text.code}
          type="text"
          action={text.enable}
          onSubmit={async (code) => {
            await client.totp.setUp({ code })
            onEnabled()
          }}
        />
      </div>
      <div className="grid gap-2 sm:col-span-2">
        <p>{text.recoveryCodes}</p>
        <CodeLines label={text.recoveryCodes} lines={recovery_codes} />
      </div>
    </div>
  )
}

/** Drawn as squares: no image is fetched and no markup is parsed. */
function QrCode({ value }: { value: string }) {
  const { data, size } = encode(value, { border: 2 })
  const squares: ReactNode[] = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [<rect key={`${x} ${y}`} x={x} y={y} width="1.02" height="1.02" />] : [])),
  )
  return (
    <svg
      role="img"
      aria-label={text.qr}
      viewBox={`0 0 ${size} ${size}`}
      className="w-48 rounded-lg bg-[white] text-[black]"
      fill="black"
    >
      {squares}
    </svg>
  )
}

interface SecretFormProps {
  label: string
  type: 'text' | 'password'
  action: string
  onSubmit: (value: string) => Promise<void>
}

function SecretForm({ label, type, action, onSubmit }: SecretFormProps) {
  const form = useForm({ value: '' }, ({ value }) => onSubmit(value))
  return (
    <Form form={form} action={action} className="max-w-sm">
      <TextField
        label={label}
        type={type}
        autoComplete={type === 'password' ? 'current-password' : 'one-time-code'}
        {...form.field('value', type === 'password' ? 'password' : 'code')}
        required
        maxLength={type === 'password' ? 1024 : 64}
      />
    </Form>
  )
}

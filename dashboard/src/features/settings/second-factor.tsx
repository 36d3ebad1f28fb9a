import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { encode } from 'uqr'
import { Button } from '../../components/button.tsx'
import { CodeLines, CopyButton } from '../../components/copy.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormFault, TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { useViewer } from '../../lib/api.ts'
import { sentenceOf } from '../../lib/errors.ts'
import { text } from '../../messages/index.ts'

const words = text.settings.totp

interface Started {
  secret: string
  otpauth_url: string
  recovery_codes: string[]
}

export function SecondFactor() {
  const { client } = useViewer()
  const queries = useQueryClient()
  const { data } = useQuery({ queryKey: ['totp'], queryFn: ({ signal }) => client.totp.read({ signal }) })
  const [started, setStarted] = useState<Started>()
  const [isRemoving, setRemoving] = useState(false)
  const changed = async (message: string) => {
    setStarted(undefined)
    setRemoving(false)
    toast(message)
    await queries.invalidateQueries({ queryKey: ['totp'] })
  }
  const start = async () => {
    try {
      const answer = await client.totp.setUp({})
      if ('secret' in answer) setStarted(answer)
    } catch (error) {
      toast(sentenceOf(error), 'bad')
    }
  }
  return (
    <Panel title={words.title}>
      {data?.enabled ? (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p>{words.on(data.recovery_codes_left)}</p>
          <Button onClick={() => setRemoving(true)}>{words.remove}</Button>
        </div>
      ) : started ? (
        <Confirmation started={started} onDone={() => void changed(words.enabled)} />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-soft">{words.off}</p>
          <Button onClick={() => void start()}>{words.start}</Button>
        </div>
      )}
      {isRemoving && (
        <Dialog isOpen onClose={() => setRemoving(false)} title={words.removeTitle}>
          <SecretForm
            label={words.password}
            type="password"
            action={words.remove}
            onSubmit={async (password) => {
              await client.totp.remove({ password })
              await changed(words.removed)
            }}
          />
        </Dialog>
      )}
    </Panel>
  )
}

function Confirmation({ started, onDone }: { started: Started; onDone: () => void }) {
  const { client } = useViewer()
  const { secret, otpauth_url, recovery_codes } = started
  return (
    <div className="grid gap-5 sm:grid-cols-[12rem_minmax(0,1fr)]">
      <QrCode value={otpauth_url} />
      <div className="grid content-start gap-4">
        <p>
          {words.scan}
          <span className="mt-1 flex items-center gap-1 font-mono text-[0.95rem] [overflow-wrap:anywhere]">
            {secret}
            <CopyButton value={secret} />
          </span>
        </p>
        <SecretForm
          label={words.code}
          type="text"
          action={words.confirm}
          onSubmit={async (code) => {
            await client.totp.setUp({ code })
            onDone()
          }}
        />
      </div>
      <div className="grid gap-2 sm:col-span-2">
        <p>{words.codes}</p>
        <CodeLines label={words.codes} lines={recovery_codes} />
      </div>
    </div>
  )
}

/** As a drawing of squares: no picture is fetched and no markup is parsed. */
function QrCode({ value }: { value: string }) {
  const { data, size } = encode(value, { border: 2 })
  const squares: ReactNode[] = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [<rect key={`${x} ${y}`} x={x} y={y} width="1.02" height="1.02" />] : [])),
  )
  return (
    <svg
      role="img"
      aria-label={words.qr}
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
  const [value, setValue] = useState('')
  const [fault, setFault] = useState<string>()
  return (
    <form
      className="grid max-w-sm gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(value).catch((error: unknown) => setFault(sentenceOf(error)))
      }}
    >
      <TextField
        label={label}
        type={type}
        autoComplete={type === 'password' ? 'current-password' : 'one-time-code'}
        value={value}
        required
        maxLength={type === 'password' ? 1024 : 64}
        onChange={(event) => setValue(event.target.value)}
      />
      <FormFault>{fault}</FormFault>
      <Button type="submit" look="primary" className="justify-self-start">
        {action}
      </Button>
    </form>
  )
}

import { VedetteError } from '@vedette/client'
import { useEffect, useState } from 'react'
import { messages } from '../messages/index.ts'
import { Button, type ButtonVariant } from './button.tsx'

interface Props {
  form: { error: unknown; isBusy: boolean }
  action: string
  variant?: ButtonVariant
  isDisabled?: boolean
  className?: string
}

/** The submit button of a form. After a 429 it says how long it waits, and works again after that. */
export function SubmitButton({
  form: { error, isBusy },
  action,
  variant = 'primary',
  isDisabled = false,
  className = '',
}: Props) {
  const seconds = useWait(error)
  return (
    <Button type="submit" variant={variant} disabled={isBusy || isDisabled || seconds > 0} className={className}>
      {seconds > 0 ? messages.errors.waiting(action, seconds) : action}
    </Button>
  )
}

/** The seconds that the backend asked to wait with this error, counted down; 0: none. */
function useWait(error: unknown): number {
  const [wait, setWait] = useState({ error, seconds: secondsOf(error) })
  // Another error begins with its own wait, in the same pass.
  if (wait.error !== error) setWait({ error, seconds: secondsOf(error) })
  const isWaiting = wait.seconds > 0
  useEffect(() => {
    if (!isWaiting) return undefined
    const timer = setInterval(() => setWait((last) => ({ ...last, seconds: Math.max(0, last.seconds - 1) })), 1_000)
    return () => clearInterval(timer)
  }, [isWaiting, error])
  return wait.seconds
}

const secondsOf = (error: unknown): number =>
  error instanceof VedetteError && error.code === 'rate_limited' ? (error.retryAfterSeconds ?? 0) : 0

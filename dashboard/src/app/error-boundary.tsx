import { Component, type ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { messages } from '../messages/index.ts'

/** Shows an error page in place of a page that throws. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    if (!this.state.error) return this.props.children
    return <ErrorPage />
  }
}

export function ErrorPage() {
  return (
    <div role="alert" className="mx-auto mt-[12vh] grid max-w-md gap-3 p-6 text-center">
      <p className="font-semibold text-[1.15rem]">{messages.errors.unknown}</p>
      <p className="text-soft">{messages.errors.unknownAdvice}</p>
      <Button variant="primary" className="justify-self-center" onClick={() => location.reload()}>
        {messages.actions.reload}
      </Button>
    </div>
  )
}

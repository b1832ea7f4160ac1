import type { HttpAnswer } from '../../lib/http-message.ts';
import { METRICS_TYPE, type Metrics } from './metrics.ts';

export async function answerMetrics({ render }: Pick<Metrics, 'render'>): Promise<HttpAnswer> {
  const headers = { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' };
  return { status: 200, headers, body: render() };
}

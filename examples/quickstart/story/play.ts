import type { Cast, User } from './cast.ts';
import { bookDraw, hearOfCriticalResult, orderDraw } from './draw.ts';
import { chooseLabTest, orderKit, register, ship, takeThroughLab } from './kit.ts';
import { readOrder, readResults, refuseCancellation } from './outcome.ts';
import { createUser, deleteAndUndo, storeDemographics, storeInsurance } from './user.ts';
import { connectWearable, readSamples } from './wearable.ts';
import { addWebhook, deleteWebhook, readSecret, type Webhook } from './webhook.ts';

/**
 * Plays the story. Throws Surprise at the first difference. Afterwards the sandbox has one more user and no webhook
 * endpoint of the story.
 */
export async function playStory(cast: Cast): Promise<void> {
  const { timeline } = cast;
  timeline.chapter('A user with insurance');
  const user = await createUser(cast);
  await storeDemographics(cast, user);
  await storeInsurance(cast, user);

  timeline.chapter('A test kit, each step of it a signed webhook');
  const webhook = await addWebhook(cast);
  try {
    await playOrder(cast, user, webhook);
    timeline.chapter('A blood draw at a patient service center, and a critical result');
    await playDraw(cast, user);
    timeline.chapter('A wearable');
    await connectWearable(cast, user);
    await readSamples(cast, user);
    timeline.chapter('The user goes and comes back');
    await deleteAndUndo(cast, user);
  } catch (surprise) {
    await deleteWebhook(cast, webhook).catch(() => undefined);
    throw surprise;
  }
  await deleteWebhook(cast, webhook);
}

async function playOrder(cast: Cast, user: User, webhook: Webhook): Promise<void> {
  cast.endpoint.listen(await readSecret(cast, webhook), user.user_id);
  const labTest = await chooseLabTest(cast, 'testkit');
  const order = await orderKit(cast, user, labTest);
  const shipped = await ship(cast, user, order);
  await register(cast, user, shipped);
  await takeThroughLab(cast, user, order);

  cast.timeline.chapter('The outcome');
  await readOrder(cast, user, order);
  await readResults(cast, order);
  await refuseCancellation(cast, order);
}

async function playDraw(cast: Cast, user: User): Promise<void> {
  const order = await orderDraw(cast, user, await chooseLabTest(cast, 'walk_in_test'));
  await bookDraw(cast, order);
  await hearOfCriticalResult(cast, user, order);
}

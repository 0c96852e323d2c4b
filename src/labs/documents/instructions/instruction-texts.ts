import type { CollectionMethod, SampleType } from '../../catalogue/schemas.ts';

/** A list of things to have ready, and the steps to follow, in words for the person who collects the sample. */
type Instructions = { ready: string[]; steps: string[] };

const WASH = 'Wash your hands with warm water and soap, and dry them.';
const LABEL =
  'Check that the label on the sample shows your name and date of birth. Write the date and time of collection on it.';

/**
 * Instructions for the collection at home with a kit, by type of sample. The leaflet of the kit's maker takes
 * precedence.
 */
export const KIT: Record<SampleType, Instructions> = {
  dried_blood_spot: {
    ready: ['The kit with its collection card, lancets, gauze and return bag', 'A clean, dry table', 'Ten minutes'],
    steps: [
      WASH,
      'Write your name, your date of birth and today’s date on the card. Do not touch the circles.',
      'Swing your arm for a moment, so that your hand is warm. Clean the tip of your ring finger with the wipe and ' +
        'let it dry.',
      'Press a lancet onto the side of the fingertip until it clicks. Wipe away the first drop with gauze.',
      'Let drops fall onto the circles, one large drop for each, without pressing the finger onto the card. Fill ' +
        'every circle.',
      'Put a plaster on the finger. Let the card dry lying flat, away from heat and sun, as long as the leaflet in ' +
        'the kit says.',
      LABEL,
      'Close the card, put it into the return bag with the drying sachet, and send it the same day.',
    ],
  },
  arm_collector: {
    ready: ['The kit with its collection device and return bag', 'A clean, dry table', 'Fifteen minutes'],
    steps: [
      WASH,
      'Rub your upper arm until it is warm. Clean it with the wipe and let it dry.',
      'Put the device flat onto the upper arm and press its button once. You may feel a short sting.',
      'Keep your arm still and hanging down until the tube is filled to its line, or for as long as the leaflet says.',
      'Take the device off and put a plaster on your arm. Close the tube and turn it over gently five times.',
      LABEL,
      'Put the tube into the return bag and send it the same day.',
    ],
  },
  serum: {
    ready: ['The kit with its tubes and return bag', 'Somebody who is trained to draw blood'],
    steps: [
      'Blood for this test is drawn from a vein by somebody who is trained to. Please do not draw it yourself.',
      'Give that person the kit with its leaflet and the requisition.',
      LABEL,
      'Send the tubes in the return bag the same day, as the leaflet in the kit says.',
    ],
  },
  saliva: {
    ready: ['The kit with its tube and return bag', 'Ten minutes'],
    steps: [
      'Do not eat, drink, smoke, chew gum or brush your teeth for 30 minutes before.',
      WASH,
      'Rinse your mouth with water and wait for five minutes.',
      'Let saliva collect in your mouth and let it run into the tube up to its line. Bubbles do not count.',
      'Close the tube tightly and turn it over gently five times.',
      LABEL,
      'Put the tube into the return bag and send it the same day.',
    ],
  },
  urine: {
    ready: ['The kit with its cup, tube and return bag'],
    steps: [
      'Collect the sample as the leaflet in the kit says: for some tests the first urine of the day, for others ' +
        'the middle of the stream.',
      WASH,
      'Fill the cup without touching its inside, then fill the tube from it up to its line.',
      'Close the tube tightly and wipe it dry.',
      LABEL,
      'Put the tube into the return bag and send it the same day.',
    ],
  },
  stool: {
    ready: ['The kit with its collection paper, tube and return bag'],
    steps: [
      'Empty your bladder first: the sample must not touch urine or the water of the toilet.',
      WASH,
      'Put the collection paper over the toilet as the leaflet in the kit shows.',
      'With the stick in the cap take a small sample, put it into the tube, and close the tube tightly.',
      LABEL,
      'Wash your hands again. Put the tube into the return bag and send it the same day.',
    ],
  },
};

const ID = 'A photo ID, and your insurance card if an insurance pays';
const DRINK = 'Drink water as usual, unless your physician told you otherwise.';

/** Instructions for the collection by a trained person. */
export const COLLECTED_BY_STAFF: Record<Exclude<CollectionMethod, 'testkit'>, Instructions> = {
  walk_in_test: {
    ready: [ID, 'The requisition, printed or on your phone'],
    steps: [
      'Go to the service center at the time of your appointment, or when it is open.',
      DRINK,
      'Show your ID and the requisition at the desk.',
      'Before you leave, check that the labels on your samples show your name and date of birth.',
    ],
  },
  at_home_phlebotomy: {
    ready: [ID, 'A chair with an arm rest, a table, and good light'],
    steps: [
      'Be at home in the time of your appointment, and have your phone near you.',
      DRINK,
      'Show the phlebotomist your ID. Wear sleeves that can be rolled up.',
      'Check that the labels on your samples show your name and date of birth. The phlebotomist takes the samples ' +
        'along.',
    ],
  },
  on_site_collection: {
    ready: [ID],
    steps: [
      'Come to the site that ordered the test at the agreed time.',
      DRINK,
      'Say your full name and date of birth before the sample is taken.',
      'Check that the labels on your samples show your name and date of birth.',
    ],
  },
};

export const FASTING =
  'This test needs you to fast: for 8 to 12 hours before the sample is taken eat nothing, and drink nothing but ' +
  'water. Take your medicines as usual, unless your physician told you otherwise.';
export const NO_FASTING = 'You do not need to fast for this test.';
export const UNWELL =
  'Stop if you feel dizzy or faint, and sit or lie down. If you bleed for longer than ten minutes, or feel ' +
  'seriously unwell, get medical help; in an emergency call 911.';

/** The stages of the org. Their labels can differ from their names, which records contain. */
export const STAGES: readonly Stage[] = [
  stage('Prospecting', 10, 'Pipeline', 'appointmentscheduled'),
  stage('Qualification', 10, 'Pipeline', 'qualifiedtobuy'),
  stage('Needs Analysis', 20, 'Pipeline', 'presentationscheduled'),
  stage('Value Proposition', 50, 'Best Case', '161204501'),
  { ...stage('Perception Analysis', 70, 'Best Case', '161204503'), isActive: false },
  { ...stage('Proposal/Price Quote', 75, 'Best Case', 'decisionmakerboughtin'), label: 'Proposal' },
  stage('Negotiation/Review', 90, 'Commit', 'contractsent', '161204502'),
  stage('Closed Won', 100, 'Closed', 'closedwon', '161204504'),
  stage('Closed Lost', 0, 'Omitted', 'closedlost', '161204505'),
];

/** The stage of that name, or else the one that stands for this stage of the record table. */
export function findStage(name: string): Stage | undefined {
  return STAGES.find((one) => one.name === name) ?? STAGES.find(({ keys }) => keys.includes(name));
}

function stage(
  name: string,
  probability: number,
  forecast: Stage['forecast'],
  ...keys: readonly string[]
): Stage {
  const isClosed = name.startsWith('Closed');
  return {
    name,
    label: name,
    isActive: true,
    isClosed,
    isWon: isClosed && probability === 100,
    probability,
    forecast,
    keys,
  };
}

export const ROLES = ['Decision Maker', 'Economic Buyer', 'Evaluator', 'Business User', 'Other'];

export const INDUSTRY_OF: Readonly<Record<string, string>> = {
  software: 'Technology',
  banking: 'Banking',
  education: 'Education',
  health: 'Healthcare',
  manufacturing: 'Manufacturing',
  retail: 'Retail',
  public: 'Government',
};
export const INDUSTRIES = [...Object.values(INDUSTRY_OF), 'Finance'];

export const TYPE_OF: Readonly<Record<string, string>> = {
  PROSPECT: 'Prospect',
  PARTNER: 'Channel Partner / Reseller',
  CUSTOMER: 'Customer - Direct',
  newbusiness: 'New Business',
  existingbusiness: 'Existing Business',
};

export interface Stage {
  readonly name: string;
  readonly label: string;
  readonly isActive: boolean;
  readonly isClosed: boolean;
  readonly isWon: boolean;
  /** In percent. */
  readonly probability: number;
  readonly forecast: 'Pipeline' | 'Best Case' | 'Commit' | 'Closed' | 'Omitted';
  /** The stages of the record table that it stands for. */
  readonly keys: readonly string[];
}

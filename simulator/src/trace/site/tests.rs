//! Sites as scontrol and sacctmgr print them.

use super::*;
use crate::trace::record::{Asked, Strictness};
use surefill::nodes::Spread;

const CONFIG: &str = "\
Configuration data as of 2026-11-30T08:00:00
AccountingStorageType   = accounting_storage/slurmdbd
PriorityCalcPeriod      = 00:02:00
PriorityDecayHalfLife   = 2-00:00:00
PriorityFavorSmall      = No
PriorityFlags           =
PriorityMaxAge          = 7-00:00:00
PriorityType            = priority/multifactor
PriorityWeightAge       = 100000
PriorityWeightFairShare = 200000
PriorityWeightJobSize   = 5000
PriorityWeightPartition = 4000
PriorityWeightQOS       = 3000
PriorityWeightTRES      = cpu=10
SchedulerParameters     = bf_interval=60,bf_window=2880,bf_max_job_test=1000,defer
SchedulerType           = sched/backfill
SelectType              = select/cons_tres
SelectTypeParameters    = CR_CORE_MEMORY
";

const PARTITIONS: &str = "\
PartitionName=batch
   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL
   Nodes=n[1-4]
   PriorityJobFactor=10 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO
   State=UP TotalCPUs=32 TotalNodes=4 SelectTypeParameters=NONE

PartitionName=big mem
   Nodes=n[3-4]
   PriorityJobFactor=40 PriorityTier=3 OverSubscribe=EXCLUSIVE
   State=UP

PartitionName=none
   Nodes=(null)
   PriorityJobFactor=1 PriorityTier=1

";

const NODES: &str = "\
NodeName=n1 Arch=x86_64 CoresPerSocket=8
   CPUAlloc=0 CPUEfctv=8 CPUTot=8 CPULoad=0.00
   Gres=(null)
   OS=Linux 6.1 #1 SMP Debian
   RealMemory=64000 AllocMem=0 FreeMem=N/A Sockets=1 Boards=1
   State=IDLE+DRAIN ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Partitions=batch

NodeName=n2 CPUTot=8 RealMemory=64000 Weight=1 Gres=(null)

NodeName=n3 CPUTot=16 RealMemory=128000 Weight=5 Gres=gpu:a100:2(S:0-1),shard:8

NodeName=n4 CPUTot=16 RealMemory=128000 MemSpecLimit=1000 Weight=0 Gres=gpu:2

NodeName=spare CPUTot=4 RealMemory=4000 Weight=1
";

const QOS: &str = "\
Name|Priority|GraceTime|MaxJobsPU|MaxTRESPU|GrpJobs|GrpTRES
normal|0|00:00:00|||||
high|100|00:00:00|6|cpu=64,node=4|20|cpu=128,mem=10G
";

const SHARES: &str = "\
Cluster|Account|User|Share
c|root||1
c| physics||30
c|  theory||5
c|  theory|ann|2
c|  theory|bob|1
c| physics|cid|1
c| biology||10
c| biology|dan|parent
";

const EVENTS: &str = "\
Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User
c||2026-11-30T00:00:00|Unknown||Cluster Registered TRES|
c|n2|2026-11-30T10:00:00|2026-11-30T11:00:00|DRAIN|disk|root(0)
c|n3|2026-11-30T08:30:00|Unknown|DOWN*|not responding|root(0)
c|n1|2026-11-30T08:30:00|Unknown|IDLE+POWERED_DOWN|saves power|root(0)
c|n4|2026-11-30T09:00:00|2026-11-30T09:10:00|IDLE|back|root(0)
";

const RESERVATION: &str = "\
ReservationName=maint StartTime=2026-12-02T08:00:00 EndTime=2026-12-02T10:00:00 Duration=02:00:00
   NodeName=n1 CoreIDs=0-7
   Nodes=n[1-2],spare NodeCnt=3 CoreCnt=20 Features=(null) PartitionName=(null) Flags=MAINT,SPEC_NODES
";

fn site(texts: &[&str]) -> Result<Site, String> {
    let texts: Vec<(String, String)> =
        texts.iter().map(|text| ("s".to_owned(), (*text).to_owned())).collect();
    Site::read(&texts)
}

fn whole() -> Site {
    site(&[&[CONFIG, "\n", PARTITIONS, NODES].concat(), QOS, SHARES, &[EVENTS, "\n", RESERVATION].concat()])
        .unwrap()
}

fn history() -> Trace {
    let text = "\
JobID|User|Account|Partition|QOS|Submit|Start|End|State|NNodes|ReqCPUS|AllocCPUS|ReqTRES|AllocTRES|Timelimit
1|ann|theory|batch|normal|2026-11-30T08:00:00|2026-11-30T08:00:00|2026-11-30T09:00:00|COMPLETED|1|2|2|cpu=2,mem=4G,node=1|cpu=2,mem=4G,node=1|02:00:00
2|cid|physics|batch|high|2026-11-30T08:01:00|2026-11-30T08:01:00|2026-11-30T09:00:00|COMPLETED|2|8|8|cpu=8,mem=8G,node=2|cpu=8,mem=8G,node=2|02:00:00
3|dan|biology|batch|normal|2026-11-30T08:02:00|2026-11-30T08:02:00|2026-11-30T09:00:00|COMPLETED|3|12|12|cpu=12,mem=12G,node=1|cpu=12,mem=12G,node=3|02:00:00
4|dan|biology|batch|normal|2026-11-30T08:03:00|2026-11-30T08:03:00|2026-11-30T09:00:00|COMPLETED|1|3|8|cpu=3,mem=1G,node=1|cpu=8,mem=1G,node=1|02:00:00
5|dan|biology|big mem|normal|2026-11-30T08:04:00|2026-11-30T08:04:00|2026-11-30T09:00:00|COMPLETED|1|16|16|cpu=16,mem=9G,node=1,gres/gpu=2|cpu=16,mem=9G,node=1,gres/gpu=2|02:00:00
6|dan|biology|gone|normal|2026-11-30T08:05:00|2026-11-30T08:05:00|2026-11-30T09:00:00|COMPLETED|1|16|16|cpu=16|cpu=16,node=1|02:00:00
";
    crate::trace::format::read(text.as_bytes(), "t", None, Strictness::Strict).unwrap()
}

#[test]
fn nodes_and_partitions_are_the_machine() {
    let machine = whole().machine().clone();
    // By weight; nodes in no partition are not there.
    assert_eq!(
        machine.to_string(),
        "1x(cores=16,mem=127000M,gpu=2,batch,partition-1)+2x(cores=8,mem=64000M,gpu=0,batch)\
         +1x(cores=16,mem=128000M,gpu=2,batch,partition-1)"
    );
    assert_eq!((machine.nodes(), machine.processors()), (4, 48));
}

#[test]
fn rules_have_the_numbers_of_the_trace() {
    let (site, trace) = (whole(), history());
    let rules = site.rules(&trace);
    let weights = rules.weights.clone().unwrap();
    assert_eq!(
        weights,
        Weights {
            age: 100_000.0,
            fairshare: 200_000.0,
            size: 5000.0,
            partition: 4000.0,
            qos: 3000.0,
            half_life_s: 172_800.0,
            period_s: 120,
            ..Weights::default()
        }
    );
    let number = |names: &std::collections::BTreeMap<i64, String>, name: &str| {
        names.iter().find(|(_, known)| *known == name).map(|(number, _)| *number).unwrap()
    };
    let names = &trace.names;
    let partition = |name: &str| rules.partitions.get(&number(&names.queues, name));
    assert_eq!(partition("batch"), Some(&PartitionRules { feature: 1, factor: 0.25, tier: 1 }));
    assert_eq!(partition("big mem"), Some(&PartitionRules { feature: 2, factor: 1.0, tier: 3 }));
    assert_eq!(partition("gone"), None);
    let high = QosRules {
        factor: 1.0,
        user_jobs: Some(6),
        user_processors: Some(64),
        jobs: Some(20),
        processors: Some(128),
    };
    assert_eq!(rules.qos.get(&number(&names.qos, "high")), Some(&high));
    assert_eq!(rules.qos.get(&number(&names.qos, "normal")), Some(&QosRules::default()));
    let (physics, theory) = (number(&names.groups, "physics"), number(&names.groups, "theory"));
    assert_eq!(rules.shares.accounts.get(&physics), Some(&(30.0, None)));
    assert_eq!(rules.shares.accounts.get(&theory), Some(&(5.0, Some(physics))));
    assert_eq!(rules.shares.users.get(&(theory, number(&names.users, "ann"))), Some(&2.0));
    assert_eq!(rules.shares.users.len(), 2);
    let backfill =
        BackfillRules { interval_s: 60, window_s: 172_800, job_test: 1000, ..BackfillRules::default() };
    assert_eq!(rules.backfill, backfill);
    // The history begins at 8; node 0 is n4.
    let outages = [
        // Until the end of the history.
        Outage { from: 1800, to: Some(3600), known: 1800, nodes: vec![3] },
        Outage { from: 7200, to: Some(10_800), known: 7200, nodes: vec![2] },
        Outage { from: 172_800, to: Some(180_000), known: 86_400, nodes: vec![1, 2] },
    ];
    assert_eq!(rules.outages, outages);
    let remarks = site.remarks(&trace).join("\n");
    assert!(
        remarks.contains("1 of 6 jobs left out, in partitions that the site does not have (gone)"),
        "{remarks}"
    );
    assert!(
        remarks.contains(
            "settings of the site that are not in the replay: PriorityWeightTRES, grptres of QOS high"
        ),
        "{remarks}"
    );
    assert!(!remarks.contains("NNodes"), "{remarks}");
}

#[test]
fn jobs_ask_for_what_they_held_on_nodes() {
    let (site, trace) = (whole(), history());
    let request = |place: usize, features: u64| {
        let (record, asked) = (&trace.records[place], &trace.asked[place]);
        let request = site.request(record, asked, record.used_processors as u32, features);
        (request.count, request.spread, request.each[..3].to_vec(), request.exclusive, request.features)
    };
    assert_eq!(request(0, 1), (1, Spread::Nodes, vec![2000, 4096, 0], false, 1));
    assert_eq!(request(1, 1), (2, Spread::Nodes, vec![4000, 4096, 0], false, 1));
    // On more nodes than it asked for: anywhere.
    assert_eq!(request(2, 1), (12, Spread::Tasks, vec![1000, 1024, 0], false, 1));
    // All 8 of a node for 3.
    assert_eq!(request(3, 1), (1, Spread::Nodes, vec![3000, 1024, 0], true, 1));
    assert_eq!(request(4, 2), (1, Spread::Nodes, vec![16_000, 9216, 2000], true, 2));
    let record = &trace.records[2];
    let nothing = site.request(record, &Asked::default(), 12, 1);
    assert_eq!((nothing.count, nothing.spread, nothing.each[1]), (12, Spread::Tasks, 0));
}

#[test]
fn json_says_the_same_as_text() {
    let nodes = r#"{"nodes":[
        {"name":"n1","cpus":8,"effective_cpus":8,"real_memory":64000,"weight":1,"gres":"","partitions":["batch"]},
        {"name":"n2","cpus":8,"real_memory":64000,"weight":1,"gres":""},
        {"name":"n3","cpus":16,"real_memory":128000,"weight":5,"gres":"gpu:a100:2(S:0-1),shard:8"},
        {"name":"n4","cpus":16,"real_memory":128000,"specialized_memory":1000,"weight":0,"gres":"gpu:2"},
        {"name":"spare","cpus":4,"real_memory":4000,"weight":1}]}"#;
    let partitions = r#"{"partitions":[
        {"name":"batch","nodes":{"configured":"n[1-4]","total":4},"priority":{"job_factor":10,"tier":1},"maximums":{"shares":1}},
        {"name":"big mem","nodes":{"configured":"n[3-4]"},"priority":{"job_factor":40,"tier":3},"maximums":{"shares":0}}]}
        {"reservations":[{"name":"maint","node_list":"n[1-2],spare","flags":["MAINT"],
          "start_time":{"set":true,"infinite":false,"number":1796198400},"end_time":{"set":true,"number":1796205600}}]}"#;
    let json = site(&[nodes, partitions, CONFIG, QOS, SHARES, EVENTS]).unwrap();
    let text = whole();
    assert_eq!(json.machine(), text.machine());
    let trace = history();
    assert_eq!(json.rules(&trace), text.rules(&trace));
    let says =
        |site: &Site| site.remarks(&trace).iter().any(|remark| remark.contains("have times since 1970"));
    let utc = Clock { zone: Some(crate::trace::values::zone("UTC").unwrap()), ..Clock::default() };
    assert_eq!([says(&json), says(&text), says(&json.on_clock(&utc))], [true, false, false]);
    // The names of 22.05 differ.
    let old = r#"{"partitions":[{"name":"batch","nodes":"n[1-4]","priority_job_factor":10,"priority_tier":1},
        {"name":"big mem","nodes":"n[3-4]","priority_job_factor":40,"priority_tier":3}]}"#;
    assert_eq!(site(&[nodes, old]).unwrap().rules(&trace).partitions, text.rules(&trace).partitions);
}

#[test]
fn odd_outputs_are_read() {
    // One record a line, as scontrol -o prints, and line ends of another system.
    let nodes = "NodeName=n1 Arch=x86_64 CPUTot=8 RealMemory=100 Reason=a|b OS=Linux 6.1 #1 Weight=1\r\nNodeName=n2 CPUTot=8 \
                 RealMemory=100\r\nNodeName=later CPUTot=0 State=FUTURE\r\n";
    let partitions =
        "PartitionName=all Nodes=ALL PriorityTier=1\r\nPartitionName=one Nodes=n1 ExclusiveUser=YES\r\n";
    let config = "ClusterName             = c\r\n";
    let events = "Cluster|NodeName|TimeStart|TimeEnd|State\r\nother|n1|2026-11-30T09:00:00|2026-11-30T10:00:00|DOWN\r\n\
                  c|n2|2026-11-30T09:00:00|2026-11-30T10:00:00|DOWN\r\n";
    let site = site(&[nodes, partitions, config, events]).unwrap();
    assert_eq!(site.machine().to_string(), "1x(cores=8,all)+1x(cores=8,all,one)");
    let mut trace = history();
    trace.names.queues.insert(77, "gone,one,all".to_owned());
    let rules = site.rules(&trace);
    assert_eq!(rules.partitions.get(&77).map(|partition| partition.feature), Some(2));
    assert_eq!(rules.outages, [Outage { from: 3600, to: Some(7200), known: 3600, nodes: vec![0] }]);
    // A job of a partition whose nodes are one user's at a time shares them with that user's others.
    let (record, asked) = (&trace.records[0], &trace.asked[0]);
    assert!(!site.request(record, asked, 2, 2).exclusive);
}

#[test]
fn what_is_not_replayed_or_missing_is_said() {
    let config = CONFIG
        .replace("defer", "defer,bf_continue,bf_min_prio_reserve=5")
        .replace("PriorityFlags           =", "PriorityFlags           = NO_FAIR_TREE,MAX_TRES")
        .replace("cpu=10", "(null)")
        + "PreemptType             = preempt/qos\nPriorityUsageResetPeriod = NONE\nSchedulerType           = sched/surefill\n";
    let qos = "Name|Priority|UsageFactor|MaxJobsPA|MaxSubmitPU\nnormal|0|1.000000||\ncheap|0|0.500000|7|3\n";
    // Text behind an object and before another.
    let nodes = r#"{"nodes":[{"name":"n1","cpus":8}]}"#;
    let partitions =
        r#"{"partitions":[{"name":"batch","nodes":{"configured":"n1"},"qos":{"assigned":"high"}}]}"#;
    let site = site(&[&format!("{nodes}\n{config}\n{partitions}\n"), qos]).unwrap();
    let swf = "; Queue: 1 batch\n1 0 5 60 2 -1 -1 2 120 -1 1 -1 -1 -1 1 -1 -1 -1\n";
    let trace = crate::trace::format::read(swf.as_bytes(), "t.swf", None, Strictness::Strict).unwrap();
    let expected = [
        "the history does not say on how many nodes jobs ran (sacct -o ...,NNodes,ReqTRES,AllocTRES): processors anywhere in \
         their partition do for them",
        "the history has no column User: all jobs have one user's fair share",
        "the history has no column Account: all users are of one account",
        "the history has no column QOS: no job has the priority or the limits of one",
        "settings of the site that are not in the replay: PreemptType, PriorityFlags=MAX_TRES, QoS of partition batch, \
         bf_min_prio_reserve, maxjobspa of QOS cheap, usagefactor of QOS cheap",
        "SchedulerType=sched/surefill is not replayed: sched/backfill stands for it",
        "no associations (sacctmgr -P show assoc tree format=account,user,parentname,share): all users have equal shares",
    ];
    assert_eq!(site.remarks(&trace), expected);
    assert_eq!(site.losses(&trace), None);
    let elsewhere = swf.replace("1 batch", "1 gone");
    let trace = crate::trace::format::read(elsewhere.as_bytes(), "t.swf", None, Strictness::Strict).unwrap();
    let lost = "1 of 1 job are in partitions that the site does not have (gone), more than a tenth";
    assert_eq!(site.losses(&trace).as_deref(), Some(lost));
}

#[test]
fn partitions_of_the_same_nodes_have_one_feature() {
    let nodes: String = (1..=80).map(|n| format!("NodeName=n{n} CPUTot=8\n")).collect();
    let lists = |list: &dyn Fn(usize) -> String| -> String {
        (1..=80).map(|n| format!("PartitionName=p{n} Nodes={}\n", list(n))).collect()
    };
    // Eighty partitions, half of all nodes and half of the last forty.
    let halves = lists(&|n| if n % 2 == 0 { "n[41-80]".to_owned() } else { "n[1-80]".to_owned() });
    let condo = site(&[&nodes, &halves]).unwrap();
    assert_eq!(condo.machine().to_string(), "40x(cores=8,p1)+40x(cores=8,p1,p2)");
    let mut trace = history();
    trace.names.queues = (1..=80).map(|n| (n, format!("p{n}"))).collect();
    let rules = condo.rules(&trace);
    assert_eq!(rules.partitions.len(), 80);
    assert!(rules.partitions.iter().all(|(n, rules)| rules.feature == if n % 2 == 0 { 2 } else { 1 }));
    let refused = site(&[&nodes, &lists(&|n| format!("n{n}"))]).unwrap_err();
    assert!(refused.starts_with("the site's 80 partitions have 80 different sets of nodes"), "{refused}");
}

#[test]
fn a_site_of_partitions_alone() {
    let site = Site::of_partitions(&[("batch".to_owned(), 3), ("gone".to_owned(), 2)]).unwrap();
    assert_eq!(site.machine().to_string(), "3x(cores=1,batch)+2x(cores=1,gone)");
    let rules = site.rules(&history());
    assert_eq!((rules.partitions.len(), rules.weights, rules.backfill.passes), (2, None, true));
    // Processors anywhere, on however many nodes it ran.
    let trace = history();
    let request = site.request(&trace.records[1], &trace.asked[1], 8, 1);
    assert_eq!(
        (request.count, request.spread, request.each[..2].to_vec()),
        (8, Spread::Tasks, vec![1000, 0])
    );
}

#[test]
fn jobs_without_names_of_partitions_and_reservations_for_jobs() {
    let own = "ReservationName=own StartTime=2026-12-02T08:00:00 EndTime=2026-12-02T10:00:00\n   Nodes=n1 Users=ann Flags=SPEC_NODES\n";
    let one = site(&["PartitionName=only Nodes=n[1-2]\n", NODES, own]).unwrap();
    let swf = "; UnixStartTime: 1796000000\n1 0 5 60 2 -1 -1 2 120 -1 1 7 3 -1 1 -1 -1 -1\n";
    let mut trace = crate::trace::format::read(swf.as_bytes(), "t.swf", None, Strictness::Strict).unwrap();
    let rules = one.rules(&trace);
    assert_eq!((rules.partitions.len(), rules.outages.len()), (1, 0));
    assert!(one.remarks(&trace).join("\n").contains("1 reservation of the site is not for maintenance"));
    trace.header.lines.push("; Queue: 1 batch".to_owned());
    let rules = whole().rules(&trace);
    assert_eq!(rules.partitions.keys().collect::<Vec<_>>(), [&1]);
    // Dates of events are in the zone of the history's.
    let clock =
        Clock { zone: Some(crate::trace::values::zone("America/New_York").unwrap()), ..Clock::default() };
    let maintenance = |site: &Site| site.rules(&trace).outages.last().map(|outage| outage.from);
    let (here, there) = (maintenance(&whole()).unwrap(), maintenance(&whole().on_clock(&clock)).unwrap());
    assert_eq!(there - here, 5 * 3600);
}

#[test]
fn wrong_texts_say_why() {
    let why = |texts: &[&str]| site(texts).unwrap_err();
    assert!(why(&["hello\n"]).starts_with("s: nothing of a site: wanted is what scontrol show config,"));
    assert!(why(&["{\"nodes\": ["]).starts_with("s: EOF while parsing"));
    assert_eq!(why(&[PARTITIONS]), "the site has no nodes: scontrol show node says them");
    assert_eq!(why(&[NODES]), "the site has no partitions: scontrol show partition says them");
    assert_eq!(why(&[PARTITIONS, "NodeName=n1 CPUTot=0\n"]), "no node of the site has processors (CPUTot)");
    assert_eq!(why(&[PARTITIONS, "NodeName=m1 CPUTot=4\n"]), "no node of the site is in a partition");
    let odd = why(&["PartitionName=p Nodes=n[1\n", NODES]);
    assert_eq!(odd, "partition p has no list of nodes: 'n[1'");
}
